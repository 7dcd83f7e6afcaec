import { foldersOf, modelsOf } from '../heads/heads';
import { textOf, timeOf } from '../model/jsonValues';
import { treesOf, type ThreadDocument } from '../model/threadSchema';
import { relationsOf } from '../model/relations';
import type { OpenThread, ThreadRelation, ThreadSourceKind } from '../threadPorts';

/** What a thread says of where it ran, and of other threads. */
export function factsOf(document: ThreadDocument): OpenThread['facts'] {
  const trees = treesOf(document);
  const platform = document.env?.initial?.platform;
  const repositories = trees.flatMap(({ repository }) => repository ?? []);
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
    ...all(
      'Repository',
      repositories.map(({ url }) => url),
    ),
    ...all(
      'Branch',
      repositories.map(({ ref }) => ref?.replace(/^refs\/heads\//, '')),
    ),
    ...all(
      'Commit',
      repositories.map(({ sha }) => sha),
    ),
    ...all('Folder', foldersOf(document)),
    ...all('Platform', [joined(system)]),
    ...all('Client', [joined(client)]),
    ...all('Mode', [document.agentMode ?? document.meta?.agentMode]),
    ...all('Model', modelsOf(document)),
    ...all('Created', [isoTime(document.created)]),
    ...all('Updated', [isoTime(document.updatedAt)]),
    ...all('Tag', tags),
    ...all('Skill', (document.activatedSkills ?? []).map(nameOf)),
    ...all('Visibility', [document.meta?.visibility]),
    ...relationsOf(document, document.id ?? '').map(({ type, role, threadId }) => ({
      label: relationWords[type][role],
      value: threadId,
    })),
  ];
}

const relationWords: Readonly<Record<ThreadRelation['type'], Readonly<Record<ThreadRelation['role'], string>>>> = {
  fork: { parent: 'Forked from', child: 'Forked to' },
  handoff: { parent: 'Handed off from', child: 'Handed off to' },
  mention: { parent: 'Mentioned by', child: 'Mentions' },
  subthread: { parent: 'Part of', child: 'Has the part' },
};

/** What is to know of how much of it is here. */
export function notesOf(document: ThreadDocument, source: ThreadSourceKind): readonly string[] {
  const { messages, meta, archived, mainThreadID, originThreadID, forkPointIndex } = document;
  const isStub = source === 'local' && meta?.usesDtw === true;
  const cut = forkPointIndex === undefined ? '' : `, from its message ${forkPointIndex + 1} on`;
  return [
    ...(isStub ? ["Amp's server ran this thread: there may be more of it there than on this machine."] : []),
    ...(messages.length === 0 ? ['There are no messages in this thread.'] : []),
    ...(archived === true ? ['This thread is archived.'] : []),
    ...(mainThreadID === undefined ? [] : [`This is a part of the thread ${mainThreadID}.`]),
    ...(originThreadID === undefined ? [] : [`This was forked from the thread ${originThreadID}${cut}.`]),
  ];
}

function all(label: string, values: readonly unknown[]): OpenThread['facts'] {
  const texts = values.flatMap((value) => textOf(value) ?? []);
  return [...new Set(texts)].map((value) => ({ label, value }));
}

function joined(words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join(' ');
}

function isoTime(value: unknown): string | undefined {
  const time = timeOf(value);
  return time === undefined ? undefined : new Date(time).toISOString();
}

function nameOf(skill: unknown): unknown {
  return typeof skill === 'object' && skill !== null && 'name' in skill ? skill.name : skill;
}
