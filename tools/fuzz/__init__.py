"""`make fuzz`: feeds damaged and edited files to the program."""
