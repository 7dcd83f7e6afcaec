// How a desktop's VS Code is chosen and started for the host tests. Nothing here starts anything.

/** What `npm run test:desktop -- --vscode …` and BACKLINE_VSCODE understand, beside a version such as 1.105.1. */
const channels = ['stable', 'insiders'];

/**
 * @param {string | undefined} wanted `oldest` is the oldest version that the manifest claims; default `stable`
 * @param {string} engine `engines.vscode` of the manifest, e.g. ^1.101.0
 * @returns {string} as @vscode/test-electron takes it
 * @throws {Error} when there is no such version
 */
export function versionToTest(wanted, engine) {
  const version = wanted === 'oldest' ? oldestOf(engine) : (wanted ?? 'stable');
  if (channels.includes(version) || /^\d+\.\d+\.\d+$/.test(version)) return version;
  throw new Error(`There is no VS Code "${version}": take oldest, stable, insiders, or a version such as 1.105.1`);
}

/**
 * @param {string} engine
 * @throws {Error} for anything but a caret range, whose first version is the oldest
 */
function oldestOf(engine) {
  const oldest = /^\^(\d+\.\d+\.\d+)$/.exec(engine)?.[1];
  if (oldest === undefined) throw new Error(`engines.vscode is "${engine}"; it is expected to look like ^1.101.0`);
  return oldest;
}

/**
 * @param {readonly string[]} args of `npm run test:desktop`
 * @returns {{ vscode: string | undefined, filters: string[] }}
 * @throws {Error} for an option that is not known or has no value
 */
export function readArguments(args) {
  /** @type {string | undefined} */
  let vscode;
  const filters = [];
  for (let at = 0; at < args.length; at++) {
    const [name = '', ...value] = (args[at] ?? '').split('=');
    if (!name.startsWith('-')) filters.push(args[at] ?? '');
    else if (name !== '--vscode') throw new Error(`There is no option ${name}; there is --vscode <version>`);
    else {
      vscode = value.length > 0 ? value.join('=') : args[++at];
      if (!vscode) throw new Error('--vscode needs a version: oldest, stable, insiders, or one such as 1.105.1');
    }
  }
  return { vscode, filters };
}

/**
 * What VS Code gets beside the folders of the extension and of its tests, which @vscode/test-electron adds.
 * @param {{ workspace: string, dataDir: string, extensionsDir: string }} sandbox
 */
export function launchArguments({ workspace, dataDir, extensionsDir }) {
  return [
    workspace,
    ...['--disable-extensions', '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
    ...['--user-data-dir', dataDir, '--extensions-dir', extensionsDir],
  ];
}

/**
 * @vscode/test-electron puts the variables that it is given on top of its own environment. To start VS Code with exactly
 * those of the sandbox, all others are given as undefined.
 * @param {NodeJS.ProcessEnv} own
 * @param {NodeJS.ProcessEnv} wanted
 * @returns {NodeJS.ProcessEnv}
 */
export function onlyVariables(own, wanted) {
  const others = Object.keys(own).filter((name) => !(name in wanted));
  return { ...Object.fromEntries(others.map((name) => [name, undefined])), ...wanted };
}

/**
 * @param {readonly string[]} command
 * @param {{ platform: NodeJS.Platform, hasDisplay: boolean, xvfbRun: string | undefined }} machine `xvfbRun` is its path
 * @returns {readonly string[]} the command that runs it where a window can be shown
 * @throws {Error} when a window can be shown nowhere
 */
export function withDisplay(command, { platform, hasDisplay, xvfbRun }) {
  if (platform !== 'linux' || hasDisplay) return command;
  if (xvfbRun !== undefined) return [xvfbRun, '--auto-servernum', ...command];
  throw new Error('VS Code needs a display. Install one that shows nothing: sudo apt-get install -y xvfb');
}
