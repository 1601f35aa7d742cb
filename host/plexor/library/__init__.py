"""The public interface of Plexor: what `import plexor` gives, and what the command line calls."""
