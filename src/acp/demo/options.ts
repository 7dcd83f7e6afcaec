import { resolve } from 'node:path';

export interface DemoOptions {
  /**
   * The protocol of the agent. `original` is the draft protocol as implemented: the agent stores the threads and
   * requests files. `document` is the draft protocol as documented: the client does so.
   */
  readonly dialect: 'v1' | 'original' | 'document';
  /** The highest version of the protocol to answer with, in the dialect `v1`. */
  readonly protocol: 1 | 2;
  /** Folder for stored sessions, as an absolute path. */
  readonly stateFolder: string | undefined;
  readonly needsSignIn: boolean;
  readonly isSigningIn: boolean;
  /** Whether the client can set LLM providers. */
  readonly hasProviders: boolean;
}

export const demoUsage = `Demo agent (no model): an Agent Client Protocol agent over stdio.

  --draft            use the draft protocol of June 2025, as implemented
  --draft=document   use the draft protocol as documented
  --protocol 2       use version 2 of the protocol, if the client offers it
  --state DIR        keep sessions in a folder, so that another process can load them
  --auth             require authentication before a session starts
  --sign-in          sign in (with --state) and exit
  --providers        offer two LLM providers, which are not used
`;

/** Parses the arguments. @throws RangeError for an unknown argument */
export function parseOptions(argv: readonly string[]): DemoOptions {
  let dialect: DemoOptions['dialect'] = 'v1';
  let protocol: DemoOptions['protocol'] = 1;
  let stateFolder: string | undefined;
  let needsSignIn = false;
  let signsIn = false;
  let hasProviders = false;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    const folder = argument === '--state' ? argv[++at] : /^--state=(.+)$/.exec(argument)?.[1];
    if (folder !== undefined) stateFolder = resolve(folder);
    else if (argument === '--protocol') protocol = toVersion(argv[++at]);
    else if (argument === '--draft') dialect = 'original';
    else if (argument === '--draft=document') dialect = 'document';
    else if (argument === '--auth') needsSignIn = true;
    else if (argument === '--sign-in') signsIn = true;
    else if (argument === '--providers') hasProviders = true;
    else throw new RangeError(`Unknown argument: ${argument}`);
  }
  return { dialect, protocol, stateFolder, needsSignIn, isSigningIn: signsIn, hasProviders };
}

/** @throws RangeError for another version */
function toVersion(written: string | undefined): 1 | 2 {
  if (written === '1') return 1;
  if (written === '2') return 2;
  throw new RangeError(`Unknown version of the protocol: ${written ?? ''}`);
}
