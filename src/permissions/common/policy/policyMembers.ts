import * as z from 'zod';
import type { ToolKind } from '../../../session/common/sessionEvents';
import type { ToolRequest } from '../requests/toolRequest';

/**
 * What else may be in the input of a tool that a policy allows, by kind. A kind is only the agent's word, so a member that
 * is not here may be anything, for example a script to run.
 */
const knownMembers: Partial<Record<ToolKind, readonly string[]>> = {
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
const addressNames = new Set(['url', 'urls', 'uri']);
const fileNames = new Set(['pattern', 'glob', 'include', 'exclude']);
/** Of globs: what they find need not be below the folder that is searched. */
const leavesFolder = /^(?:[/\\~]|[a-z]:)|\.\.[/\\]/i;

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Values = z.union([Value.transform((value) => [value]), z.array(Value)]);

/** Whether it is known what the request does, so that a policy about its kind can allow it. */
export function isKnownToPolicy({ command, env, input, kind, paths }: ToolRequest): boolean {
  const members = Object.entries(input);
  if (!members.every(([name, json]) => isKnownMember(kind, name, json))) return false;
  if (kind !== 'execute' && Object.keys(env).length > 0) return false;
  if (kind === 'execute') return command !== undefined;
  return paths.length > 0 || ((kind === 'search' || kind === 'fetch') && members.length > 0);
}

function isKnownMember(kind: ToolKind, name: string, json: string): boolean {
  const value: unknown = JSON.parse(json);
  if (value === null) return true;
  const values = Values.safeParse(value).data;
  if (!values || !knownMembers[kind]?.includes(name)) return false;
  if (addressNames.has(name)) return values.every((one) => /^https?:/i.test(String(one)));
  return !fileNames.has(name) || !values.some((one) => leavesFolder.test(String(one)));
}
