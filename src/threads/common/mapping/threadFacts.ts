import { foldersOf, modelsOf } from '../heads/heads';
import { asNonEmptyText, asTimeMs } from '../model/jsonValues';
import { workspaceTreesOf, type ThreadDocument } from '../model/threadSchema';
import { relationsOf } from '../model/relations';
import type { ThreadWithEntries, ThreadRelation, ThreadSourceKind } from '../threadPorts';

/** Returns labeled details of a thread: its platform and folders, its models and its related threads. */
export function threadFactsOf(document: ThreadDocument): ThreadWithEntries['facts'] {
  const trees = workspaceTreesOf(document);
  const platform = document.env?.initial?.platform;
  const repositories = trees.flatMap(({ repository }) => repository ?? []);
  const urls = repositories.map(({ url }) => url);
  const branches = repositories.map(({ ref }) => ref?.replace(/^refs\/heads\//, ''));
  const commits = repositories.map(({ sha }) => sha);
  const system = [platform?.os, platform?.osVersion, platform?.cpuArchitecture];
  const client = [
    platform?.client,
    platform?.clientVersion,
    platform?.clientType === undefined ? undefined : `(${platform.clientType})`,
  ];
  const tags = (document.env?.initial?.tags ?? []).filter(
    (tag) => typeof tag === 'string' && !tag.startsWith('model:'),
  );
  return [
    ...facts('Repository', urls),
    ...facts('Branch', branches),
    ...facts('Commit', commits),
    ...facts('Folder', foldersOf(document)),
    ...facts('Platform', [joinWords(system)]),
    ...facts('Client', [joinWords(client)]),
    ...facts('Mode', [document.agentMode ?? document.meta?.agentMode]),
    ...facts('Model', modelsOf(document)),
    ...facts('Created', [isoTime(document.created)]),
    ...facts('Updated', [isoTime(document.updatedAt)]),
    ...facts('Tag', tags),
    ...facts('Skill', (document.activatedSkills ?? []).map(nameOf)),
    ...facts('Visibility', [document.meta?.visibility]),
    ...relationsOf(document, document.id ?? '').map(({ type, role, threadId }) => ({
      label: relationLabels[type][role],
      value: threadId,
    })),
  ];
}

const relationLabels: Readonly<Record<ThreadRelation['type'], Readonly<Record<ThreadRelation['role'], string>>>> = {
  fork: { parent: 'Forked from', child: 'Forked to' },
  handoff: { parent: 'Handed off from', child: 'Handed off to' },
  mention: { parent: 'Mentioned by', child: 'Mentions' },
  subthread: { parent: 'Subthread of', child: 'Subthread' },
};

/** Returns notes for the user, for example that this machine may have only part of the thread. */
export function threadNotesOf(document: ThreadDocument, source: ThreadSourceKind): readonly string[] {
  const { messages, meta, archived, mainThreadID, originThreadID, forkPointIndex } = document;
  const isStub = source === 'local' && meta?.usesDtw === true;
  const fromMessage = forkPointIndex === undefined ? '' : ` at message ${forkPointIndex + 1}`;
  return [
    ...(isStub ? ['This thread ran on Amp’s server, which may have messages that this machine doesn’t.'] : []),
    ...(messages.length === 0 ? ['This thread has no messages.'] : []),
    ...(archived === true ? ['This thread is archived.'] : []),
    ...(mainThreadID === undefined ? [] : [`This is a subthread of ${mainThreadID}.`]),
    ...(originThreadID === undefined ? [] : [`This thread was forked from ${originThreadID}${fromMessage}.`]),
  ];
}

function facts(label: string, values: readonly unknown[]): ThreadWithEntries['facts'] {
  const texts = values.flatMap((value) => asNonEmptyText(value) ?? []);
  return [...new Set(texts)].map((value) => ({ label, value }));
}

function joinWords(words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join(' ');
}

function isoTime(value: unknown): string | undefined {
  const time = asTimeMs(value);
  return time === undefined ? undefined : new Date(time).toISOString();
}

function nameOf(skill: unknown): unknown {
  return typeof skill === 'object' && skill !== null && 'name' in skill ? skill.name : skill;
}
