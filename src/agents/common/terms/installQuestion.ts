import { toVisibleText } from '../../../base/common/text/visibleText';
import { formatBytes } from '../formatBytes';
import type { RegistryAgent } from '../registry/registryAgent';
import type { InstallPlan } from '../install/agentInstall';
import type { TermChange } from './installTerms';

const kinds: Readonly<Record<InstallPlan['kind'], string>> = {
  npx: 'npm package',
  uvx: 'Python package',
  binary: 'Program',
};

interface InstallQuestion {
  readonly message: string;
  readonly detail: string;
  /** The label of the button that installs it. */
  readonly action: string;
}

/**
 * Returns the question before an agent is first installed, or before an update that is not what the user has allowed.
 * It lists everything that the user agrees to, and first what has changed.
 */
export function installQuestion(
  plan: InstallPlan,
  { authors, repository, website }: Pick<RegistryAgent, 'authors' | 'repository' | 'website'>,
  changes: readonly TermChange[] | undefined,
): InstallQuestion {
  const { address, bytes, commandLine, kind, name, needsNode, terms, version } = plan;
  const page = website ?? repository;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [kinds[kind], kind === 'binary' ? `${name} ${version}` : `${terms.source} (${name} ${version})`],
    ['From', authors.length === 0 ? 'unknown author' : authors.join(', ')],
    ['Website', page],
    ['Address', address],
    ['Size', bytes === undefined ? undefined : sizeText(kind, bytes)],
    ['License', terms.license ?? 'not stated'],
    ['Needs', needsNode === undefined ? undefined : `Node.js ${needsNode}`],
    ['Runs', commandLine],
  ];
  const lines = rows.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${toVisibleText(value)}`]));
  const warning =
    'An agent is a program with your user rights: it can read and change your files, run commands and use the network. Install it only if you trust its author.';
  if (!changes)
    return {
      message: `Install ${toVisibleText(name)}?`,
      detail: [...lines, '', warning].join('\n'),
      action: 'Install',
    };
  const changed = changes.map(({ after, before, label }) => `${label}: ${toVisibleText(`${before} → ${after}`)}`);
  return {
    message: `Update ${toVisibleText(name)}? It is no longer what you allowed.`,
    detail: ['Changed since you allowed it:', ...changed, ...keysNote(changes), '', ...lines, '', warning].join('\n'),
    action: 'Update',
  };
}

/** Keys and permissions belong to the program that they were given to. */
function keysNote(changes: readonly TermChange[]): readonly string[] {
  const isOther = changes.some(({ label }) => label === 'Kind' || label === 'Source');
  return isOther ? ['', 'Keys and permissions of the earlier program are not passed on without asking you.'] : [];
}

function sizeText(kind: InstallPlan['kind'], bytes: number): string {
  return kind === 'binary' ? `${formatBytes(bytes)} to download` : `${formatBytes(bytes)}, and its dependencies`;
}
