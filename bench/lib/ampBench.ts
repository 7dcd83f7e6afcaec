import { once } from 'node:events';
import { WebSocket, type RawData } from 'ws';
import { bytesOf } from './bytesOf';
import { median, printBenchLine } from './benchLine';

/** Two servers that answer the same requests, each in a process of its own. URLs with their token, if they ask for one. */
export interface AmpContest {
  readonly subject: string;
  readonly peer: string;
}

const peerName = 'ws + JSON';
const answerStart = Buffer.from('{"serverResponse":');

/** Prints the p50 of one `readFile` after another, in microseconds. */
export async function benchLatency(
  bench: string,
  contest: AmpContest,
  options: { path: string; rounds: number; requestsPerRound: number; bar: number },
): Promise<void> {
  const { path, rounds, requestsPerRound, bar } = options;
  const measure = async (client: BenchClient): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < requestsPerRound; i++) times.push(await client.timeOne(path));
    return median(times) * 1000;
  };
  const { subject, peer } = await compare(contest, path, rounds, measure);
  printBenchLine({ bench, value: subject, unit: 'µs', peer: { name: peerName, value: peer }, bar, better: 'lower' });
}

/** Prints requests per second with `window` requests under way at any time. */
export async function benchThroughput(
  bench: string,
  contest: AmpContest,
  options: { path: string; rounds: number; requestsPerRound: number; window: number; bar: number },
): Promise<void> {
  const { path, rounds, requestsPerRound, window, bar } = options;
  const measure = async (client: BenchClient): Promise<number> =>
    requestsPerRound / ((await client.timeMany(path, requestsPerRound, window)) / 1000);
  const { subject, peer } = await compare(contest, path, rounds, measure);
  const result = { value: subject, unit: 'requests/s', peer: { name: peerName, value: peer } };
  printBenchLine({ bench, ...result, bar, better: 'higher' });
}

/** The medians of `rounds` rounds, in which the two take turns, after one round each that does not count. */
async function compare(
  contest: AmpContest,
  path: string,
  rounds: number,
  measure: (client: BenchClient) => Promise<number>,
): Promise<{ subject: number; peer: number }> {
  const subject = await BenchClient.connect(contest.subject);
  const peer = await BenchClient.connect(contest.peer);
  const [ours, theirs] = [await subject.contentOf(path), await peer.contentOf(path)];
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

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: RawData) => {
      // Notifications are none of our business; nothing of an answer needs to be parsed to know it.
      if (bytesOf(data).subarray(0, answerStart.length).equals(answerStart)) this.onAnswer(bytesOf(data));
    });
  }

  static async connect(url: string): Promise<BenchClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new BenchClient(socket);
    await once(socket, 'open');
    return client;
  }

  async contentOf(path: string): Promise<unknown> {
    const answered = new Promise<string>((resolve) => {
      this.onAnswer = (answer) => resolve(answer.toString());
    });
    this.send(path);
    const answer = JSON.parse(await answered) as { serverResponse?: { result?: { content?: unknown } } };
    const content = answer.serverResponse?.result?.content;
    if (typeof content !== 'string') throw new Error(`No content of ${path}`);
    return content;
  }

  /** Milliseconds. */
  timeOne(path: string): Promise<number> {
    return new Promise((resolve) => {
      const start = performance.now();
      this.onAnswer = () => resolve(performance.now() - start);
      this.send(path);
    });
  }

  /** Milliseconds for all of them. */
  timeMany(path: string, count: number, window: number): Promise<number> {
    return new Promise((resolve) => {
      const start = performance.now();
      let sent = 0;
      let received = 0;
      this.onAnswer = () => {
        received++;
        if (received === count) resolve(performance.now() - start);
        else if (sent < count) {
          sent++;
          this.send(path);
        }
      };
      while (sent < Math.min(window, count)) {
        sent++;
        this.send(path);
      }
    });
  }

  close(): void {
    this.socket.close();
  }

  private send(path: string): void {
    const id = String(++this.lastId);
    this.socket.send(JSON.stringify({ clientRequest: { id, method: { readFile: { path } } } }));
  }
}
