import * as z from 'zod/mini';
import { LoadAnswer, LoadRequest } from '../../src/transcript/common/loadRequest';
import { TranscriptPatch } from '../../src/transcript/common/patch';
import { defineNotification, defineRequest, NoValue } from '../../src/webview/common/protocol';

/** What the page of `chatOpen.bench.ts` asks. */
export const open = defineRequest('bench/open', NoValue, z.object({ patch: TranscriptPatch }));
export const load = defineRequest('bench/load', LoadRequest, LoadAnswer);
export const didPatch = defineNotification('bench/didPatch', TranscriptPatch);
