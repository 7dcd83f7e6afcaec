import * as z from 'zod/mini';
import { TranscriptPatch } from '../../src/transcript/common/patch';
import { defineRequest, NoValue } from '../../src/webview/common/protocol';

/** What the page of `chatOpen.bench.ts` asks. */
export const open = defineRequest('bench/open', NoValue, z.object({ patch: TranscriptPatch }));
export const loadOlder = defineRequest(
  'bench/loadOlder',
  z.object({ count: z.int() }),
  z.object({ patch: TranscriptPatch }),
);
