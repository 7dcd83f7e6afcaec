import { isRecord, asList, asNonEmptyText, type JsonRecord } from '../model/jsonValues';
import { pathOrUriPath } from '../model/fileUriPath';

/** Returns the searchable details of a thread, such as its id, folders, repository, platform and unsent prompts. */
export function searchableDetails(document: JsonRecord): readonly string[] {
  const { env, id, agentMode, activatedSkills, draft, queuedMessages } = document;
  const initial = isRecord(env) && isRecord(env['initial']) ? env['initial'] : {};
  const platform = isRecord(initial['platform']) ? initial['platform'] : {};
  const trees = asList(initial['trees']).filter(isRecord);
  const related = [
    ...asList(document['relationships']).map((item) => (isRecord(item) ? item['threadID'] : undefined)),
    document['mainThreadID'],
    document['originThreadID'],
  ];
  const values = [
    id,
    ...trees.flatMap(treeValues),
    ...['os', 'osVersion', 'cpuArchitecture', 'client', 'clientVersion', 'clientType'].map((key) => platform[key]),
    agentMode,
    ...asList(initial['tags']),
    ...asList(activatedSkills).map((skill) => (isRecord(skill) ? skill['name'] : skill)),
    ...related,
    ...unsentTexts(draft),
    ...asList(queuedMessages).flatMap((item) => unsentTexts(isRecord(item) ? item['queuedMessage'] : item)),
  ];
  return [...new Set(values.flatMap((value) => asNonEmptyText(value) ?? []))];
}

function treeValues({ displayName, uri, fsPath, repository }: JsonRecord): readonly unknown[] {
  const { url, ref, sha } = isRecord(repository) ? repository : {};
  return [typeof uri === 'string' ? pathOrUriPath(uri) : undefined, fsPath, displayName, url, shortRef(ref), sha];
}

function shortRef(ref: unknown): unknown {
  return typeof ref === 'string' ? ref.replace(/^refs\/heads\//, '') : ref;
}

function unsentTexts(message: unknown): readonly unknown[] {
  const content = isRecord(message) ? (message['content'] ?? message['text']) : message;
  return [content, ...asList(content).map((block) => (isRecord(block) ? block['text'] : block))];
}
