"""``python -m routebench``, which the program ``routebench`` runs."""

from routebench.command_line.main import main

if __name__ == "__main__":
    raise SystemExit(main())
