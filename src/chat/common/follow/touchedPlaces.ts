import type { SessionEvent } from '../../../session/common/sessionEvents';
import { pathOfInput } from '../transcript/toolParts';
import type { FollowedPlace } from './followState';

/** Maximum length of an edit's text for which the file is searched, in UTF-16 units. */
const maxTextUnits = 2_000;

/** Returns the place that a tool call reads or edits, if the event names one. */
export function touchedPlace(event: SessionEvent): FollowedPlace | undefined {
  if (event.event !== 'tool:pre' && event.event !== 'tool:update' && event.event !== 'tool:post') return undefined;
  const { content = [], locations = [] } = event.data;
  const location = locations.at(-1);
  if (location) return { path: location.path, ...(location.line !== undefined && { line: location.line - 1 }) };
  const diff = content.findLast((item) => item.type === 'diff');
  if (diff?.type === 'diff') return { path: diff.path, text: diff.new_text.slice(0, maxTextUnits) };
  const input = event.event === 'tool:post' ? undefined : event.data.input;
  const path = input && pathOfInput(input);
  return path === undefined ? undefined : { path };
}
