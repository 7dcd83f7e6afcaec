import { toVisibleText } from '../../../base/common/visibleText';
import { formatBytes } from '../formatBytes';
import type { RegistryAgent } from '../registry/registryAgent';
import type { InstallPlan } from './agentInstall';

const kinds: Readonly<Record<InstallPlan['kind'], string>> = {
  npx: 'npm package',
  uvx: 'Python package',
  binary: 'Program',
};

/** Returns the question before an agent is first installed. It lists everything that the user agrees to. */
export function installQuestion(
  plan: InstallPlan,
  { authors, repository, website }: Pick<RegistryAgent, 'authors' | 'repository' | 'website'>,
): { readonly message: string; readonly detail: string } {
  const { address, bytes, commandLine, kind, license, name, needsNode, version } = plan;
  const page = website ?? repository;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [kinds[kind], `${name} ${version}`],
    ['From', authors.length === 0 ? 'unknown author' : authors.join(', ')],
    ['Website', page],
    ['Address', address],
    ['Size', bytes === undefined ? 'not known' : sizeText(kind, bytes)],
    ['License', license ?? 'not stated'],
    ['Needs', needsNode === undefined ? undefined : `Node.js ${needsNode}`],
    ['Runs', commandLine],
  ];
  const lines = rows.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${toVisibleText(value)}`]));
  const warning =
    'An agent is a program with your user rights: it can read and change your files, run commands and use the network. Install it only if you trust its author.';
  return { message: `Install ${toVisibleText(name)}?`, detail: [...lines, '', warning].join('\n') };
}

function sizeText(kind: InstallPlan['kind'], bytes: number): string {
  return kind === 'binary' ? `${formatBytes(bytes)} to download` : `${formatBytes(bytes)}, and its dependencies`;
}
