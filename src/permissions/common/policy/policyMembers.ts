import * as z from 'zod';
import type { ToolKind } from '../../../session/common/sessionEvents';
import type { ToolRequest } from '../requests/toolRequest';
import { isPlainQuery, namedPathsOf, staysInFolder } from './searchGlobs';
import { isWebAddress, namesOnlyWebAddresses } from './webAddresses';

/**
 * Input members that a policy can allow, by tool kind. The agent chooses the kind itself, so an unknown member could
 * have any effect, for example run a script.
 */
const knownMembersByKind: Partial<Record<ToolKind, readonly string[]>> = {
  read: ['pages'],
  search: [
    ...['pattern', 'query', 'regex', 'glob', 'include', 'exclude', 'type', 'output_mode', 'multiline', 'recursive'],
    ...['case_sensitive', 'caseSensitive', 'head_limit', 'limit', 'offset', 'max_results', 'maxResults'],
    ...['-A', '-B', '-C', '-i', '-n'],
  ],
  edit: ['expected_replacements', 'edit_mode', 'cell_id', 'cell_number', 'cell_type', 'new_source'],
  execute: ['run_in_background', 'runInBackground', 'is_background', 'isBackground', 'background', 'login', 'tty'],
  fetch: [
    ...['url', 'urls', 'uri', 'query', 'prompt', 'format', 'allowed_domains', 'blocked_domains'],
    ...['max_length', 'maxLength', 'start_index', 'startIndex', 'max_results', 'maxResults'],
  ],
};
const urlMemberNames = new Set(['url', 'urls', 'uri']);
const globMemberNames: ReadonlySet<string> = new Set(['pattern', 'glob', 'include', 'exclude']);

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Values = z.union([Value.transform((value) => [value]), z.array(Value)]);

/** Whether the effect of the request is fully known, so that a policy can allow it. */
export function hasKnownEffects({ command, env, input, isAmbiguous, kind, paths }: ToolRequest): boolean {
  const members = Object.entries(input);
  if (!members.every(([name, json]) => isKnownMember(kind, name, json))) return false;
  if (kind === 'execute') return command !== undefined;
  if (isAmbiguous === true || Object.keys(env).length > 0) return false;
  // What is fetched is no file.
  if (kind === 'fetch') return paths.length === 0 && members.length > 0;
  return paths.length > 0 || (kind === 'search' && members.length > 0);
}

/** The paths that the globs of a search name, relative to the folder that is searched. */
export function pathsOfGlobs(input: ToolRequest['input']): readonly string[] {
  return Object.entries(input).flatMap(([name, json]) => {
    const values = globMemberNames.has(name) ? Values.safeParse(JSON.parse(json)).data : undefined;
    return values?.flatMap((value) => namedPathsOf(String(value))) ?? [];
  });
}

function isKnownMember(kind: ToolKind, name: string, json: string): boolean {
  const value: unknown = JSON.parse(json);
  if (value === null) return true;
  const values = Values.safeParse(value).data;
  if (!values || !knownMembersByKind[kind]?.includes(name)) return false;
  const isAllowed = checkOfMember(kind, name);
  return values.every((one) => isAllowed(String(one)));
}

function checkOfMember(kind: ToolKind, name: string): (text: string) => boolean {
  if (urlMemberNames.has(name)) return isWebAddress;
  if (kind === 'fetch') return namesOnlyWebAddresses;
  if (kind !== 'search') return () => true;
  if (globMemberNames.has(name)) return staysInFolder;
  return name === 'regex' ? isPlainRegularExpression : isPlainQuery;
}

/** A program could take text that begins with `-` for one of its options. */
function isPlainRegularExpression(text: string): boolean {
  return !text.startsWith('-') && !text.includes('\0');
}
