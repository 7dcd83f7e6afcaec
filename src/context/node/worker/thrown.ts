import { inspect } from 'node:util';
import { messageOf } from '../../../base/common/errors';
import { decodePercentEscapes } from '../../../base/common/addresses/fileUri';

/** A description of a thrown value, for the author of the provider. */
export interface ThrownDescription {
  /** One sentence that includes the location in the provider's own files. */
  readonly message: string;
  readonly details: string;
}

/** Matches the importer in an error about a missing module. For the main module, it is Backline's own code. */
const ownImporter = / imported from (?:backline-survey:\S*|[^\n]*?context-worker\.js)/;
const maxMessageLength = 2_000;
const maxDetailsLength = 8_000;

export function describeThrown(thrown: unknown): ThrownDescription {
  const stack = stackOf(thrown);
  const place = stack && placeIn(stack);
  const message = textOf(thrown).slice(0, maxMessageLength);
  return {
    message: place === undefined ? message : `${message.replace(/\.$/, '')} (${place})`,
    details: (stack ?? message).slice(0, maxDetailsLength),
  };
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  if (!(thrown instanceof Error)) return `The provider failed with ${inspectSafely(thrown)} instead of an error`;
  const message = messageOf(thrown).replace(ownImporter, '');
  return message === '' ? `The provider failed with ${thrown.name} and no message` : message;
}

function inspectSafely(value: unknown): string {
  try {
    return inspect(value, { depth: 1, customInspect: false });
  } catch {
    // Inspecting the value can run code of the provider, which may throw an error.
    return 'something';
  }
}

function stackOf(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : undefined;
  } catch {
    // Reading the stack can run code of the provider, which may throw an error.
    return undefined;
  }
}

/** Returns the location of the first stack frame outside packages, for example `name.mjs:3`. */
function placeIn(stack: string): string | undefined {
  for (const [, url = '', line] of stack.matchAll(/(file:\/\/[^\s()]+?):(\d+)/g)) {
    const name = url.split('/').at(-1);
    if (!url.includes('/node_modules/') && name) return `${decodePercentEscapes(name)}:${line}`;
  }
  return undefined;
}
