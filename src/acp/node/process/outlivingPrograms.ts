/** Whether a program, such as a browser or daemon, may keep running after the agent that started it has ended. */
export function mayOutliveAgent([program = '', ...args]: readonly string[], runsAsNode: boolean): boolean {
  const name = program.split('/').at(-1) ?? '';
  if (args.some((arg) => automationArguments.test(arg))) return false;
  if (codeEditors.test(name)) return !runsAsNode;
  return isTerminalHost(args) || [browsers, editors, multiplexers, daemons].some((names) => names.test(name));
}

/** Whether the arguments belong to VS Code's pty host, which on a server is the parent of the user's terminals. */
const isTerminalHost = (args: readonly string[]): boolean => args.includes('--type=ptyHost');

/** Arguments with which an agent starts a program, such as a browser, to automate it. */
const automationArguments =
  /^--?(headless|remote-debugging|enable-automation|marionette|juggler|extensionTestsPath|batch|script)/;

const browsers =
  /^(google-chrome|chrome|chromium|firefox|brave|microsoft-edge|msedge|opera|vivaldi|epiphany)(-(stable|browser|esr|bin|beta|dev|wrapper))?$/;
/** Code editors, which can also run scripts like Node.js. */
const codeEditors = /^(code|codium|vscodium|cursor|windsurf)(-(oss|insiders|next))?$/;
const editors =
  /^(emacs(-[\w.]+)?|gvim|nvim-qt|neovide|zed|zed-editor|zeditor|sublime_text|gedit|gnome-text-editor|kate|kwrite|mousepad|xed|idea|pycharm|webstorm|phpstorm|rubymine|rustrover|goland|clion|rider|studio)$/;
const multiplexers = /^(tmux|screen|SCREEN|zellij|dtach|abduco)$/;
const daemons =
  /^(gpg-agent|scdaemon|dirmngr|keyboxd|ssh-agent|adb|dockerd|containerd|containerd-shim(-[\w-]+)?|docker-proxy|conmon|rootlesskit|dbus-daemon|gnome-keyring-daemon|chrome_crashpad_handler)$/;
