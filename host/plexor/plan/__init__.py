"""From settings to registers, exactly."""
