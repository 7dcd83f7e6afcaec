import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An agent as it is installed here, and what it needs to use the scripted model instead of an account. */
export interface RealAgent {
  readonly id: string;
  /** Its id in the registry of agents. */
  readonly registryId: string;
  readonly title: string;
  readonly args: readonly string[];
  /** The variable with the path of its program, set by scripts/testAgents.mjs. */
  readonly variable: string;
  /** The mode of its sessions, if its own choice asks the model whether a call is harmless, which a script cannot answer. */
  readonly mode?: string;
  /** Whether it uses MCP servers that its client starts; default true. */
  readonly takesStdioServers?: boolean;
  /** The only version of the protocol over which it asks whether it may call a tool; default any. */
  readonly protocol?: '1';
  /** Writes its settings below `home`, and returns its environment. */
  readonly configure: (home: string, model: string) => Promise<Readonly<Record<string, string>>>;
}

export const opencode: RealAgent = {
  id: 'opencode',
  registryId: 'opencode',
  title: 'OpenCode',
  args: ['acp'],
  variable: 'BACKLINE_TEST_OPENCODE',
  async configure(home, model) {
    const models = { scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 10_000 } } };
    const options = { baseURL: `${model}/v1`, apiKey: 'none' };
    await writeSettings(home, '.config/opencode/opencode.json', {
      autoupdate: false,
      share: 'disabled',
      model: 'local/scripted',
      small_model: 'local/scripted',
      permission: { edit: 'ask', bash: 'ask' },
      provider: { local: { npm: '@ai-sdk/openai-compatible', name: 'Local', options, models } },
    });
    return {};
  },
};

const claude: RealAgent = {
  id: 'claude',
  registryId: 'claude-acp',
  title: 'Claude',
  args: [],
  variable: 'BACKLINE_TEST_CLAUDE',
  mode: 'default',
  configure: (_home, model) =>
    Promise.resolve({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // The agent refuses some modes for root.
      IS_SANDBOX: '1',
    }),
};

const gemini: RealAgent = {
  id: 'gemini',
  registryId: 'gemini',
  title: 'Gemini',
  args: ['--acp'],
  variable: 'BACKLINE_TEST_GEMINI',
  async configure(home, model) {
    // It uses no MCP server in a folder that the user has not trusted in its own terminal.
    await writeSettings(home, '.gemini/trustedFolders.json', { [join(home, 'work')]: 'TRUST_FOLDER' });
    await writeSettings(home, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    });
    // With a model of its own, it does not ask another one which it should take.
    return { GEMINI_API_KEY: 'none', GEMINI_MODEL: 'gemini-2.5-flash', GOOGLE_GEMINI_BASE_URL: model };
  },
};

const codex: RealAgent = {
  id: 'codex',
  registryId: 'codex-acp',
  title: 'Codex',
  args: [],
  variable: 'BACKLINE_TEST_CODEX',
  mode: 'workspace-write',
  protocol: '1',
  async configure(home, model) {
    const config = [
      'model = "scripted"',
      'model_provider = "local"',
      '[model_providers.local]',
      'name = "Local"',
      `base_url = "${model}/v1"`,
      'env_key = "LOCAL_KEY"',
      'wire_api = "responses"',
      '',
    ];
    await mkdir(join(home, '.codex'), { recursive: true });
    await writeFile(join(home, '.codex', 'config.toml'), config.join('\n'));
    return { LOCAL_KEY: 'none' };
  },
};

const copilot: RealAgent = {
  id: 'copilot',
  registryId: 'github-copilot-cli',
  title: 'GitHub Copilot',
  args: ['--acp'],
  variable: 'BACKLINE_TEST_COPILOT',
  takesStdioServers: false,
  configure: (_home, model) =>
    Promise.resolve({ COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: 'scripted', COPILOT_OFFLINE: 'true' }),
};

export const realAgents: readonly RealAgent[] = [opencode, claude, gemini, codex, copilot];

async function writeSettings(home: string, name: string, settings: object): Promise<void> {
  const file = join(home, name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, JSON.stringify(settings));
}
