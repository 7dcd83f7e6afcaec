import * as http from 'node:http';
import { once } from 'node:events';
import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { AmplifierBackend } from '../../../src/amplifier/node/client/amplifierBackend';
import { AmplifierClient } from '../../../src/amplifier/node/client/http/amplifierClient';
import { deltaText, sessionId } from './amplifierBenchServer';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

export interface TurnRequest {
  readonly deltas: number;
  readonly intervalMs: number;
}

/** Runs a turn and calls back with the text of the deltas, some of them in one; resolves at the turn's end. */
export interface TurnRunner {
  run(request: TurnRequest, onDelta: (text: string) => void): Promise<void>;
  dispose(): void;
}

/** The whole client: stream, schema, turn, log, and one reader of the session's events. */
export async function wholeClient(url: URL): Promise<TurnRunner> {
  const backend = new AmplifierBackend({
    id: 'bench',
    title: 'Bench',
    client: new AmplifierClient({ http: new OutgoingHttp(), baseUrl: url, log: nullLogger }),
    clock: systemClock,
    random: Math.random,
    log: nullLogger,
    context: { collect: () => Promise.resolve({ workspace_root: '/' }), readFiles: () => Promise.resolve([]) },
    credentials: () => Promise.resolve(undefined),
  });
  const session = await backend.createSession({ cwd: '/' });
  let seen = 0;
  return {
    async run(request, onDelta) {
      const reading = (async () => {
        for await (const { sequence, event } of session.events({ afterSequence: seen })) {
          if (sequence > seen + 1) throw new Error(`The reader lost ${sequence - seen - 1} events.`);
          seen = sequence;
          if (event.event === 'content_block:delta') onDelta(event.data.delta);
          else if (event.event === 'prompt:complete') return;
        }
      })();
      await Promise.all([reading, session.sendPrompt({ text: JSON.stringify(request) })]);
    },
    dispose: () => backend.dispose(),
  };
}

const Event = z.object({ event: z.string(), data: z.object({ delta: z.string().optional() }) });

/** eventsource-parser and JSON.parse on node:http, and nothing else; what they give is checked once, outside the loop. */
export async function bareParser(url: URL): Promise<TurnRunner> {
  let onEvent: (json: unknown) => void = () => undefined;
  const request = http.get(new URL(`/sessions/${sessionId}/events`, url), { agent: false });
  const [response] = await new Promise<[http.IncomingMessage]>((resolve) =>
    request.on('response', (message) => resolve([message])),
  );
  const parser = createParser({ onEvent: ({ data }) => onEvent(JSON.parse(data)) });
  response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
  return {
    async run(turn, onDelta) {
      const done = new Promise<void>((resolve) => {
        let count = 0;
        onEvent = (json) => {
          if (++count <= turn.deltas) onDelta(turn.intervalMs > 0 ? (Event.parse(json).data.delta ?? '') : deltaText);
          else resolve();
        };
      });
      await post(new URL(`/sessions/${sessionId}/prompt`, url), { prompt: JSON.stringify(turn) });
      await done;
    },
    dispose: () => request.destroy(),
  };
}

/** A node:http stream whose bytes are searched for the delta and not read otherwise. */
export async function bareStream(url: URL): Promise<TurnRunner> {
  let onText: (text: string) => void = () => undefined;
  const request = http.get(new URL(`/sessions/${sessionId}/events`, url), { agent: false });
  const [response] = await new Promise<[http.IncomingMessage]>((resolve) =>
    request.on('response', (message) => resolve([message])),
  );
  response.on('data', (chunk: Buffer) => onText(chunk.toString('utf8')));
  return {
    async run(turn, onDelta) {
      const done = new Promise<void>((resolve) => {
        onText = (text) => {
          for (const [, delta] of text.matchAll(/"delta":"([^"]*)"/gu)) onDelta(delta ?? '');
          if (text.includes('prompt:complete')) resolve();
        };
      });
      await post(new URL(`/sessions/${sessionId}/prompt`, url), { prompt: JSON.stringify(turn) });
      await done;
    },
    dispose: () => request.destroy(),
  };
}

async function post(url: URL, body: object): Promise<void> {
  const request = http.request(url, { method: 'POST', headers: { 'Content-Type': 'application/json' } });
  const answered = new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve));
  request.end(JSON.stringify(body));
  const response = await answered;
  response.resume();
  await once(response, 'end');
}
