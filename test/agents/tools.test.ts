import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { applyChoices } from '../../src/session/common/optionChoices';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { toolInstructions } from '../../src/tools/common/editorTools';
import { mcpServerSetting } from '../../src/tools/common/clients/mcpServerSetting';
import { McpServer } from '../../src/tools/node/mcpServer';
import { Follower } from '../fake/backendHarness';
import { lineRange, placeIn, ToolBench } from '../unit/tools/support/fakeLanguage';
import { launcherIn } from './support/agentLaunch';
import { ModelServer, type ModelScript } from './support/modelServer';
import { realAgents, type RealAgent } from './support/realAgents';

const code = 'export function total(): number {\n  return 1;\n}\n';
const use = "import { total } from './total';\nconsole.log(total());\n";
const timeoutMs = 90_000;

const instructions = 'Mention heliotrope whenever you can.';
const missingTool = 'There are only';

/** Agents call tools by longer names, and some only know them after a search: the model knows what it asks for. */
const script: ModelScript = (asked, result, tools) => {
  const [, name = '', input = '{}'] = /CALL (\w+) (\{.*\})/.exec(asked) ?? [];
  // Some have a read_file of their own.
  const tool = tools.find((each) => new RegExp(`backline[^a-z]+${name}$`).test(each));
  const search = tools.find((each) => /^tool_?search$/i.test(each));
  if (result !== undefined && !result.includes('tool_reference')) return { say: `The tool said: ${result}` };
  if (tool !== undefined) return { call: tool, input: JSON.parse(input) as Record<string, unknown> };
  if (search !== undefined && result === undefined)
    return { call: search, input: { query: `select:mcp__backline__${name}`, max_results: 5 } };
  return { say: `${missingTool}: ${tools.join(', ')}` };
};

for (const agent of realAgents) {
  const program = process.env[agent.variable];
  for (const transport of ['http', 'stdio'] as const) {
    const isThere = program !== undefined && program !== '';
    (isThere ? describe : describe.skip)(`the tools of the window in ${agent.title}, by ${transport}`, function () {
      this.timeout(3 * timeoutMs);
      let run: AgentRun;

      before(async () => {
        run = await AgentRun.start(agent, program ?? '', transport);
      });
      after(() => run.stop());

      if (transport === 'stdio' && agent.takesStdioServers === false) {
        it('are not there: it refuses such a server of its client', async () => {
          assert.match(
            await run.ask('references', { path: 'total.ts', symbol: 'total' }),
            /^There are only(?!.*backline)/,
          );
        });
        return;
      }

      it('are listed, and find references', async () => {
        const answer = await run.ask('references', { path: 'total.ts', symbol: 'total' });
        assert.match(answer, /2 references of `total`/);
        assert.match(answer, /use\.ts/);
      });

      it('come with the instructions of the session, where the agent takes them', async () => {
        const { takes, wasTold } = await run.instructionsReached();
        assert.equal(wasTold, takes);
        if (['claude', 'codex'].includes(agent.id)) assert.equal(takes, true);
      });

      it('tell problems, without a build', async () => {
        assert.match(await run.ask('problems', {}), /1 problem in the workspace, 1 error/);
      });

      it('rename a symbol in 200 files with one call', async () => {
        const answer = await run.ask('rename', { path: 'total.ts', symbol: 'total', new_name: 'countOf' });
        assert.match(answer, /Renamed `total` .* to `countOf`: 203 places in 202 files/);
        assert.deepEqual(await run.filesWith('countOf'), await run.filesWith(''));
        assert.deepEqual(await run.filesWith('total('), []);
      });

      it('read text that is not saved', async () => {
        assert.match(await run.ask('read_file', { path: 'use.ts' }), /not saved[^]*typed by the user/);
      });
    });
  }
}

/** One agent with a home of its own, a scripted model, and the tools of a window whose editor is in memory. */
class AgentRun {
  private session: { readonly backend: BackendSession; readonly follower: Follower } | undefined;
  private readonly allowed = new Set<string>();
  private promptCount = 0;

  private constructor(
    private readonly agent: RealAgent,
    private readonly home: string,
    private readonly folder: string,
    private readonly model: ModelServer,
    private readonly server: McpServer,
    private readonly backend: SessionBackend,
    private readonly bench: ToolBench,
    private readonly files: readonly string[],
  ) {}

  static async start(agent: RealAgent, program: string, transport: 'http' | 'stdio'): Promise<AgentRun> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'backline-agent-')));
    const folder = join(home, 'work');
    await mkdir(folder);
    const [total, user] = [join(folder, 'total.ts'), join(folder, 'use.ts')];
    await writeFile(total, code);
    await writeFile(user, use);
    const used = Array.from({ length: 200 }, (_, index) => join(folder, 'uses', `use${index}.ts`));
    const texts = Object.fromEntries(used.map((file) => [file, 'total();\n']));
    const bench = new ToolBench({ ...texts, [total]: code, [user]: use }, [folder]);
    bench.languageEdits.renames = (_at, newText) =>
      Promise.resolve([
        { path: total, edits: [{ range: lineRange(0, 16, 21), newText }] },
        { path: user, edits: [lineRange(1, 9, 14), lineRange(2, 12, 17)].map((range) => ({ range, newText })) },
        ...used.map((path) => ({ path, edits: [{ range: lineRange(0, 0, 5), newText }] })),
      ]);
    bench.editor.type(user, `// typed by the user\n${use}`);
    bench.language.places = [placeIn(total, 0, 16), placeIn(user, 2, 12)];
    const problem = { severity: 'error', message: 'wrong', lineText: '', startOffset: 0, endOffset: 0 } as const;
    bench.editor.setDiagnostics(user, [{ ...problem, range: lineRange(1, 0, 1) }]);
    const options = { name: 'backline', version: '0.0.0', clock: systemClock, log: nullLogger };
    const server = new McpServer({ ...options, instructions: toolInstructions, providers: [bench.tools] });
    await server.start();
    const model = new ModelServer(script);
    model.searched.text = instructions;
    const env = await agent.configure(home, await model.start());
    const bridge = { runtime: process.execPath, file: join(process.cwd(), 'dist', 'mcp-bridge.js') };
    const launcher = launcherIn(
      { folder, home },
      {
        editor: bench.editor,
        windowMcpServers: (transports, caller) => {
          const address = caller ? server.createSessionAddress(caller) : server.createAddress();
          const setting = mcpServerSetting(address, { http: transports.http && transport === 'http' }, bridge);
          return Promise.resolve({ [address.name]: setting });
        },
      },
    );
    const { args, id, protocol = 'auto', title } = agent;
    const entry = { id, title, command: program, args, env, dialect: 'v1', mcpServers: {} } as const;
    const backend = launcher.createBackend({ ...entry, protocol, missingFile: 'error', source: 'found' });
    return new AgentRun(agent, home, folder, model, server, backend, bench, [total, user, ...used]);
  }

  /** The files of the symbol whose text in the editor has `part`. */
  async filesWith(part: string): Promise<readonly string[]> {
    const texts = await Promise.all(this.files.map(async (path) => (await this.bench.editor.readText(path)).text));
    return this.files.filter((_, index) => texts[index]?.includes(part));
  }

  /** Whether the agent says that it takes instructions, and whether its model has got them. */
  async instructionsReached(): Promise<{ takes: boolean; wasTold: boolean }> {
    const { takesInstructions = false } = await this.backend.capabilities();
    return { takes: takesInstructions, wasTold: this.model.searched.count > 0 };
  }

  /** Returns what the agent answers after it has called the tool. Allows what it asks for. */
  async ask(tool: string, input: object): Promise<string> {
    const answer = await this.askOnce(tool, input);
    if (!answer.startsWith(missingTool)) return answer;
    // Some agents go without a server that starts late, as on a busy machine. A new session starts it again.
    this.session = undefined;
    this.promptCount = 0;
    return await this.askOnce(tool, input);
  }

  private async askOnce(tool: string, input: object): Promise<string> {
    const { backend: session, follower } = await this.openSession();
    const nth = ++this.promptCount;
    await session.sendPrompt({ text: `CALL ${tool} ${JSON.stringify(input)}` });
    const done = follower.next('prompt:complete', nth);
    const turn = { isRunning: true };
    const end = (): void => {
      turn.isRunning = false;
    };
    done.then(end, end);
    while (turn.isRunning) {
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 100))]);
      await this.allowAll(session, follower);
    }
    return (await done).response;
  }

  private async allowAll(session: BackendSession, follower: Follower): Promise<void> {
    for (const { approval_id: id, option_kinds: kinds, options } of follower.all('approval:required')) {
      const option = options[kinds?.indexOf('allow_once') ?? -1];
      if (this.allowed.has(id) || option === undefined) continue;
      this.allowed.add(id);
      await session.answerApproval(id, option);
    }
  }

  async stop(): Promise<void> {
    await this.backend.stop();
    this.backend.dispose();
    await this.model.stop();
    await this.server.stop();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  private async openSession(): Promise<{ backend: BackendSession; follower: Follower }> {
    if (this.session) return this.session;
    const backend = await this.backend.createSession({ cwd: this.folder, instructions });
    this.session = { backend, follower: new Follower(backend, timeoutMs) };
    const { mode } = this.agent;
    if (mode !== undefined) {
      const choice = { option: 'mode', value: mode, from: 'user', isShown: true } as const;
      assert.deepEqual(await applyChoices(backend, [choice], this.backend.title), []);
    }
    return this.session;
  }
}
