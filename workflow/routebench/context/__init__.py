"""Line selection and packing into a token budget (METHODS S)."""
