import { randomUUID } from 'node:crypto';
import { AmplifierServer } from '../../../src/amplifier/node/server/amplifierServer';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { FakeEditor } from '../../../test/fake/fakeEditor';
import { benchAgent } from '../benchAgent';
import { tellParent } from '../child';

/** The embedded server over an ACP agent, which is this same bundle in the role `agent`; tells its port. */
export async function runFanoutServer(): Promise<void> {
  const editor = new FakeEditor({}, [process.cwd()]);
  const backend = benchAgent(editor);
  const entry = { id: 'bench', title: 'Bench', source: 'configured', description: '' } as const;
  const server = new AmplifierServer({
    backends: { list: () => Promise.resolve([entry]), open: () => Promise.resolve(backend) },
    workspace: { folders: editor.folders, resolve: (path) => Promise.resolve(path), stat: (path) => editor.stat(path) },
    clock: systemClock,
    log: nullLogger,
    newId: randomUUID,
    version: '0.0.0',
    host: '127.0.0.1',
    ports: [0],
    token: undefined,
    profilesFrom: 'the bench',
  });
  await server.start();
  process.on('exit', () => backend.dispose());
  process.on('disconnect', () => process.exit());
  tellParent({ port: Number(new URL(server.url).port) });
}
