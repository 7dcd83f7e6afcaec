import { resolve } from 'node:path';

export interface DemoOptions {
  /** The highest version of the protocol to answer with. */
  readonly protocol: 1 | 2;
  /** Folder for stored sessions, as an absolute path. */
  readonly stateFolder: string | undefined;
}

export const demoUsage = `Demo agent (no model): an Agent Client Protocol agent over stdio.

  --protocol 2       use version 2 of the protocol, if the client offers it
  --state DIR        keep sessions in a folder, so that another process can load them
`;

/** Parses the arguments. @throws RangeError for an unknown argument */
export function parseOptions(argv: readonly string[]): DemoOptions {
  let protocol: DemoOptions['protocol'] = 1;
  let stateFolder: string | undefined;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    const folder = argument === '--state' ? argv[++at] : /^--state=(.+)$/.exec(argument)?.[1];
    if (folder !== undefined) stateFolder = resolve(folder);
    else if (argument === '--protocol') protocol = toVersion(argv[++at]);
    else throw new RangeError(`Unknown argument: ${argument}`);
  }
  return { protocol, stateFolder };
}

/** @throws RangeError for another version */
function toVersion(written: string | undefined): 1 | 2 {
  if (written === '1') return 1;
  if (written === '2') return 2;
  throw new RangeError(`Unknown version of the protocol: ${written ?? ''}`);
}
