// What the list of conversations takes: `list.first`, `list.second`, `list.change`, `list.memory`. Run by `npm run bench -- chatList`.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { nullLogger } from '../../src/base/common/log';
import { NodeFiles } from '../../src/base/node/filePort';
import { systemClock } from '../../src/base/node/systemClock';
import type { ConversationHead } from '../../src/chat/common/chatStore';
import { logVersion } from '../../src/chat/common/conversation/logRecord';
import { ConversationRows } from '../../src/chat/common/conversations/conversationRow';
import { ConversationStore } from '../../src/chat/node/conversationStore';
import { OlderWorkspaces } from '../../src/chat/node/olderWorkspaces';
import { WindowPlaces } from '../../src/chat/node/windowPlaces';
import { median, printBenchLine } from '../lib/benchLine';
import { tellParent } from '../lib/child';
import { runRole } from '../support/roleRun';
import { Spent } from '../support/spent';

const count = 5_000;
const folderCount = 50;
const rounds = 7;
const changes = 25;
const parallelReads = 32;
const Taken = z.object({ ms: z.number(), mib: z.number(), changeMs: z.number() });
type Taken = z.infer<typeof Taken>;

const [role, home = ''] = process.argv.slice(2);

/** All sides are new processes, which take turns. */
async function main(): Promise<void> {
  const place = mkdtempSync(path.join(tmpdir(), 'backline-bench-'));
  try {
    writeConversations(place);
    const taken: Record<'first' | 'second' | 'read', Taken[]> = { first: [], second: [], read: [] };
    const run = async (side: keyof typeof taken, role: string): Promise<void> => {
      taken[side].push(Taken.parse(await runRole(role, place)));
    };
    for (let round = 0; round < rounds; round++) {
      rmSync(path.join(place, 'conversations', 'index'), { recursive: true, force: true });
      await run('first', 'list');
      await run('second', 'list');
      await run('read', 'read');
    }
    const medianOf = (side: keyof typeof taken, what: keyof Taken): number =>
      median(taken[side].map((one) => one[what]));
    const peer = { name: 'reading all heads', value: medianOf('read', 'ms') };
    const line = { unit: 'ms of its thread', peer, barOf: 'value', better: 'lower' } as const;
    printBenchLine({ ...line, bench: 'list.first', value: medianOf('first', 'ms'), bar: 300 });
    printBenchLine({ ...line, bench: 'list.second', value: medianOf('second', 'ms'), bar: 60 });
    const change = { unit: 'ms', bar: 5, better: 'lower' } as const;
    printBenchLine({ ...change, bench: 'list.change', value: medianOf('second', 'changeMs') });
    const mib = { unit: 'MiB', bar: 60, better: 'lower' } as const;
    printBenchLine({ ...mib, bench: 'list.memory', value: medianOf('second', 'mib') });
  } finally {
    rmSync(place, { recursive: true });
  }
}

function writeConversations(place: string): void {
  mkdirSync(headsIn(place), { recursive: true });
  for (let index = 0; index < count; index++) {
    const head = headOf(index);
    const file = path.join(headsIn(place), `${head.id}.json`);
    writeFileSync(file, JSON.stringify(head));
    mkdirSync(path.join(place, 'conversations', head.id));
    writeFileSync(path.join(place, 'conversations', head.id, 'log.jsonl'), '');
    // What has just changed is not believed to stay as it is.
    utimesSync(file, yesterday, yesterday);
  }
  utimesSync(headsIn(place), yesterday, yesterday);
}

const yesterday = new Date(Date.now() - 86_400_000);

function headsIn(place: string): string {
  return path.join(place, 'conversations', 'heads');
}

function headOf(index: number): ConversationHead {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const folder = `/home/user/projects/project-${index % folderCount}`;
  const repository = {
    first: String(index % folderCount).padStart(40, '0'),
    remote: `example.com${folder}`,
    below: '',
  };
  return {
    version: logVersion,
    id,
    title: `Conversation ${index} about the build and its warnings`,
    titledBy: 'agent',
    backendId: 'bench',
    backendTitle: 'Bench',
    remoteId: id,
    startedBy: id,
    place: { folders: [{ path: folder, real: folder, repository }], at: 1_700_000_000_000 + index },
    createdAt: 1_700_000_000_000 + index,
    updatedAt: 1_700_000_000_000 + ((index * 7919) % count),
    state: 'idle',
  };
}

/** From the start of the store to the rows, as a window shows them that opens one of the folders. */
async function runList(): Promise<void> {
  const files = new NodeFiles();
  const folder = path.join(home, 'conversations');
  const workspace = () => ({ file: undefined, folders: [headOf(0).place?.folders[0]?.path ?? ''] });
  const deps = { folder, files, clock: systemClock, log: nullLogger };
  const [before, spent] = [process.memoryUsage().rss, new Spent()];
  const places = new WindowPlaces({ ...deps, folder: path.join(folder, 'moves'), workspace });
  const older = new OlderWorkspaces({ ...deps, root: folder, workspaceStorage: path.join(home, 'workspaceStorage') });
  const store = new ConversationStore({ ...deps, places, older });
  await store.start();
  const rows = new ConversationRows(store, { liveOf: () => ({}) }).all;
  const taken = { ms: await spent.ms(), mib: (process.memoryUsage().rss - before) / 2 ** 20 };
  const here = rows.filter(({ elsewhere }) => !elsewhere).length;
  if (rows.length !== count || here !== count / folderCount) throw new Error(`${rows.length} rows, ${here} of here.`);
  const changeMs = msOfChange(store);
  await store.stop();
  store.dispose();
  tellParent({ ...taken, changeMs });
  process.disconnect();
}

/** What the rows take after the head of one of them has changed. */
function msOfChange(store: ConversationStore): number {
  const all = [...store.heads];
  const changing = {
    elsewhere: (head: ConversationHead, situation?: string) => store.elsewhere(head, situation),
    here: store.here,
    situation: store.situation,
    heads: all,
  };
  const made = new ConversationRows(changing, { liveOf: () => ({}) });
  const before = made.all;
  const each = Array.from({ length: changes }, (_, index) => {
    const at = index * 97;
    const head = all[at];
    if (head) all[at] = { ...head, updatedAt: head.updatedAt + count };
    const start = performance.now();
    made.invalidate();
    if (made.all === before) throw new Error('The change has no row.');
    return performance.now() - start;
  });
  return median(each);
}

async function runRead(): Promise<void> {
  const [before, spent] = [process.memoryUsage().rss, new Spent()];
  const names = await readdir(headsIn(home));
  const waiting = [...names];
  const read = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      JSON.parse(await readFile(path.join(headsIn(home), name), 'utf8'));
    }
  };
  await Promise.all(Array.from({ length: parallelReads }, read));
  tellParent({ ms: await spent.ms(), mib: (process.memoryUsage().rss - before) / 2 ** 20, changeMs: 0 });
  process.disconnect();
}

if (role === 'list') void runList();
else if (role === 'read') void runRead();
else void main();
