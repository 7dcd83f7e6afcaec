import * as z from 'zod';
import type { ToolKind } from '../../../session/common/sessionEvents';
import type { ToolRequest } from '../requests/toolRequest';

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
const globMemberNames = new Set(['pattern', 'glob', 'include', 'exclude']);
/** Matches globs that can find files outside the searched folder. */
const leavesFolder = /^(?:[/\\~]|[a-z]:)|\.\.[/\\]/i;

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Values = z.union([Value.transform((value) => [value]), z.array(Value)]);

/** Whether the effect of the request is fully known, so that a policy can allow it. */
export function hasKnownEffects({ command, env, input, kind, paths }: ToolRequest): boolean {
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
  if (!values || !knownMembersByKind[kind]?.includes(name)) return false;
  if (urlMemberNames.has(name)) return values.every((one) => /^https?:/i.test(String(one)));
  return !globMemberNames.has(name) || !values.some((one) => leavesFolder.test(String(one)));
}
