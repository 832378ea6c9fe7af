"""scree completion: lines for the shell that complete commands, options and names."""


def add(commands):
    parser = commands.add_parser("completion", help="print what makes the shell complete commands and options",
                                 description='For bash, put  eval "$(scree completion)"  into ~/.bashrc; for zsh the same with  completion zsh  into ~/.zshrc.')
    parser.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish", "tcsh"), default="bash", help="default: bash")
    parser.set_defaults(function=execute)


def execute(args):
    """Print the shell's lines."""
    try:
        import argcomplete
    except ImportError:
        raise OSError("completion needs argcomplete: apt-get install python3-argcomplete, or pip install argcomplete") from None
    if args.shell == "zsh":
        print("autoload -U bashcompinit && bashcompinit")
    print(argcomplete.shellcode(["scree"], shell="bash" if args.shell == "zsh" else args.shell))


def offer(parser):
    """Answer the shell when it asks for completions; otherwise nothing."""
    import os
    if "_ARGCOMPLETE" not in os.environ:
        return
    try:
        import argcomplete
    except ImportError:
        return
    argcomplete.autocomplete(parser)
