"""`make fuzz`: what comes from files, damaged and edited without end."""
