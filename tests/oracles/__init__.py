"""Judges: the product against what others computed, through its public interface alone."""
