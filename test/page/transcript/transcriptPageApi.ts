// What the page of the transcript's own tests asks and hears.
import * as z from 'zod/mini';
import { Entry } from '../../../src/transcript/common/entries';
import { LoadAnswer, LoadRequest } from '../../../src/transcript/common/loadRequest';
import { TranscriptPatch } from '../../../src/transcript/common/patch';
import { defineNotification, defineRequest, NoValue } from '../../../src/webview/common/protocol';

export const didPatch = defineNotification('test/didPatch', TranscriptPatch);
export const ask = defineNotification(
  'test/ask',
  z.object({ what: z.enum(['find', 'latest', 'entry']), id: z.optional(z.string()) }),
);
/** Every action but those that answer. */
export const did = defineRequest('test/did', z.object({ action: z.string(), args: z.array(z.unknown()) }), NoValue);
export const showAll = defineRequest('test/showAll', z.object({ id: z.string() }), z.object({ entry: Entry }));
export const load = defineRequest('test/load', LoadRequest, LoadAnswer);
