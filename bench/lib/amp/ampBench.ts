import { once } from 'node:events';
import { WebSocket, type RawData } from 'ws';
import * as z from 'zod';
import { bytesOf } from '../bytesOf';
import { median, printBenchLine } from '../benchLine';

/** Two servers that answer the same requests. URLs with their token, if they ask for one. */
export interface AmpContest {
  readonly subject: string;
  readonly peer: string;
  readonly peerName: string;
}

/** In which envelope a client asks; see docs/protocols/amp.md. */
export type BenchDialect = 'document' | 'cli';

const answerStart = Buffer.from('{"serverResponse":');
const Answer = z.object({
  serverResponse: z.union([
    z.object({ result: z.object({ content: z.string() }) }).transform(({ result }) => result),
    z.object({ readFile: z.object({ content: z.string() }) }).transform(({ readFile }) => readFile),
  ]),
});

/** Prints the p50 of one `readFile` after another, in microseconds. */
export async function benchLatency(
  bench: string,
  contest: AmpContest,
  options: { dialect: BenchDialect; path: string; rounds: number; requestsPerRound: number; bar: number },
): Promise<void> {
  const { requestsPerRound, bar } = options;
  const measure = async (client: BenchClient): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < requestsPerRound; i++) times.push(await client.timeOne());
    return median(times) * 1000;
  };
  const { subject, peer } = await compare(contest, options, measure);
  const result = { value: subject, unit: 'µs', peer: { name: contest.peerName, value: peer } };
  printBenchLine({ bench, ...result, bar, better: 'lower' });
}

/** Prints requests per second with `window` requests under way at any time. */
export async function benchThroughput(
  bench: string,
  contest: AmpContest,
  options: {
    dialect: BenchDialect;
    path: string;
    rounds: number;
    requestsPerRound: number;
    window: number;
    bar: number;
  },
): Promise<void> {
  const { requestsPerRound, window, bar } = options;
  const measure = async (client: BenchClient): Promise<number> =>
    requestsPerRound / ((await client.timeMany(requestsPerRound, window)) / 1000);
  const { subject, peer } = await compare(contest, options, measure);
  const result = { value: subject, unit: 'requests/s', peer: { name: contest.peerName, value: peer } };
  printBenchLine({ bench, ...result, bar, better: 'higher' });
}

/** The medians of `rounds` rounds, in which the two take turns, after one round each that does not count. */
async function compare(
  contest: AmpContest,
  { dialect, path, rounds }: { dialect: BenchDialect; path: string; rounds: number },
  measure: (client: BenchClient) => Promise<number>,
): Promise<{ subject: number; peer: number }> {
  const subject = await BenchClient.connect(contest.subject, dialect, path);
  const peer = await BenchClient.connect(contest.peer, dialect, path);
  const [ours, theirs] = [await subject.content(), await peer.content()];
  if (ours !== theirs) throw new Error(`The two servers do not give the same content of ${path}`);
  const times: { subject: number[]; peer: number[] } = { subject: [], peer: [] };
  for (let round = -1; round < rounds; round++) {
    const subjectTime = await measure(subject);
    const peerTime = await measure(peer);
    if (round < 0) continue;
    times.subject.push(subjectTime);
    times.peer.push(peerTime);
  }
  subject.close();
  peer.close();
  return { subject: median(times.subject), peer: median(times.peer) };
}

/** Measures up to the arrival of the whole answer; what a client does with it costs the same whoever sent it. */
class BenchClient {
  private lastId = 0;
  private onAnswer: (answer: Buffer) => void = () => undefined;

  private constructor(
    private readonly socket: WebSocket,
    private readonly dialect: BenchDialect,
    private readonly path: string,
  ) {
    socket.on('message', (data: RawData) => {
      // Notifications are none of our business; nothing of an answer needs to be parsed to know it.
      if (bytesOf(data).subarray(0, answerStart.length).equals(answerStart)) this.onAnswer(bytesOf(data));
    });
  }

  static async connect(url: string, dialect: BenchDialect, path: string): Promise<BenchClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new BenchClient(socket, dialect, path);
    await once(socket, 'open');
    return client;
  }

  async content(): Promise<string> {
    const answered = new Promise<string>((resolve) => {
      this.onAnswer = (answer) => resolve(answer.toString());
    });
    this.send();
    return Answer.parse(JSON.parse(await answered)).serverResponse.content;
  }

  /** Milliseconds. */
  timeOne(): Promise<number> {
    return new Promise((resolve) => {
      const start = performance.now();
      this.onAnswer = () => resolve(performance.now() - start);
      this.send();
    });
  }

  /** Milliseconds for all of them. */
  timeMany(count: number, window: number): Promise<number> {
    return new Promise((resolve) => {
      const start = performance.now();
      let sent = 0;
      let received = 0;
      this.onAnswer = () => {
        received++;
        if (received === count) resolve(performance.now() - start);
        else if (sent < count) {
          sent++;
          this.send();
        }
      };
      while (sent < Math.min(window, count)) {
        sent++;
        this.send();
      }
    });
  }

  close(): void {
    this.socket.close();
  }

  private send(): void {
    const id = String(++this.lastId);
    const method = { readFile: { path: this.path } };
    const clientRequest = this.dialect === 'cli' ? { id, ...method } : { id, method };
    this.socket.send(JSON.stringify({ clientRequest }));
  }
}
