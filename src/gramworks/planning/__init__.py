"""What a run will take: its jobs, their costs, and how soon they end on how many cores."""
