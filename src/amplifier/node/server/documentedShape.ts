import type { AmplifierEvent } from '../../common/events';

/**
 * The event with what the API reference's examples have and an agent may leave out, for clients that rely on it: the
 * usage of a turn (0 where it is not told), what becomes of an approval without an answer, and by `tool`, `operation`
 * and `path` what it is about.
 */
export function documentedShape(event: AmplifierEvent): AmplifierEvent {
  if (event.event === 'prompt:complete') {
    const token_usage = event.data.token_usage ?? { input_tokens: 0, output_tokens: 0 };
    return { ...event, data: { ...event.data, token_usage } };
  }
  if (event.event === 'approval:required') {
    const { context = {}, default: otherwise = 'deny' } = event.data;
    return { ...event, data: { ...event.data, default: otherwise, context: { ...subjectOf(context), ...context } } };
  }
  return event;
}

function subjectOf({ kind, paths }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const path: unknown = Array.isArray(paths) ? paths[0] : undefined;
  return {
    ...(kind === undefined ? {} : { tool: kind, operation: kind }),
    ...(path === undefined ? {} : { path }),
  };
}
