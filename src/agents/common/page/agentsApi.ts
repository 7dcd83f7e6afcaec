import * as z from 'zod/mini';
import {
  defineRequestWithoutResult,
  defineNotification,
  defineRequest,
  NoValue,
} from '../../../webview/common/protocol';

/** Messages between the page of agents and its host. */

const Text = z.string();
const optional = z.optional;

/** `here`: installed, found, or added by the user. `popular` and `others` can be installed. */
export const agentGroups = ['here', 'popular', 'others'] as const;
export type AgentGroup = (typeof agentGroups)[number];

export const AgentActionKind = z.enum([
  'install',
  'cancel',
  'update',
  'remove',
  'addAccount',
  'removeAccount',
  'signIn',
  'chat',
  'restart',
  'llmProviders',
  'allow',
  'edit',
  'openWebsite',
]);
export type AgentActionKind = z.infer<typeof AgentActionKind>;

export const AgentAction = z.object({ kind: AgentActionKind, label: Text });
export type AgentAction = z.infer<typeof AgentAction>;

export const AgentCardState = z.object({
  kind: z.enum(['available', 'installing', 'installed', 'update', 'signIn', 'starting', 'ready', 'broken']),
  /** Describes the state. */
  text: Text,
  /** What to do. */
  advice: optional(Text),
  /** From 0 to 1; absent if it is not known. */
  fraction: optional(z.number().check(z.gte(0), z.lte(1))),
});
export type AgentCardState = z.infer<typeof AgentCardState>;

export const AgentCard = z.object({
  /** Unique on the page. Does not change when the agent moves to another group. */
  key: Text,
  group: z.enum(agentGroups),
  /** Of the agent as a backend, which it would have once it is installed. */
  backendId: Text,
  name: Text,
  description: Text,
  /** Author, license and version, each if known. */
  facts: z.array(Text),
  /** Where it comes from, for example a package or a command. */
  origin: Text,
  /** Additional words for the search that are not shown. */
  keywords: Text,
  state: AgentCardState,
  /** The most useful one first. */
  actions: z.array(AgentAction),
});
export type AgentCard = z.infer<typeof AgentCard>;

export const AgentsView = z.object({
  cards: z.array(AgentCard),
  registry: z.object({
    /** When the list was last checked. */
    checked: Text,
    isChecking: z.boolean(),
    /** Why the list could not be loaded, unless there is just no connection. */
    problem: optional(Text),
  }),
  isUntrusted: z.boolean(),
});
export type AgentsView = z.infer<typeof AgentsView>;

const maxNameUnits = 60;
const maxLineUnits = 8_000;
const Line = z.string().check(z.maxLength(maxLineUnits));

export const OwnAgentVariable = z.object({
  name: Line,
  /** Empty for a stored secret that stays as it is. */
  value: Line,
  isSecret: z.boolean(),
});
export type OwnAgentVariable = z.infer<typeof OwnAgentVariable>;

/** An option of new conversations, such as the mode. */
export const OwnAgentDefault = z.object({ option: Line, value: Line });
export type OwnAgentDefault = z.infer<typeof OwnAgentDefault>;

/** An agent that the user defines. */
export const OwnAgent = z.object({
  /** The name before the edit; absent for a new agent. */
  previousName: optional(Text),
  name: z.string().check(z.maxLength(maxNameUnits)),
  /** The program and its arguments. */
  commandLine: Line,
  folder: Line,
  dialect: z.enum(['v1', 'draft']),
  variables: z.array(OwnAgentVariable).check(z.maxLength(50)),
  defaults: z.array(OwnAgentDefault).check(z.maxLength(50)),
});
export type OwnAgent = z.infer<typeof OwnAgent>;

/** The result of a test: whether the command starts an agent. */
export const OwnAgentTestResult = z.object({ isWorking: z.boolean(), message: Text });
export type OwnAgentTestResult = z.infer<typeof OwnAgentTestResult>;

export const agentsRequests = {
  /** Sent when the page has loaded; requests the view and the icons. */
  ready: defineRequestWithoutResult('agents/ready', NoValue),
  /** Loads the list of agents again. */
  refresh: defineRequestWithoutResult('agents/refresh', NoValue),
  act: defineRequestWithoutResult('agents/act', z.object({ key: Text, action: AgentActionKind })),
  manageTrust: defineRequestWithoutResult('agents/manageTrust', NoValue),
  readOwnAgent: defineRequest('agents/readOwnAgent', z.object({ name: Text }), OwnAgent),
  /** Starts the command, requests its name, and ends it. */
  testOwnAgent: defineRequest('agents/testOwnAgent', OwnAgent, OwnAgentTestResult),
  /** Writes the agent to the user settings. */
  saveOwnAgent: defineRequestWithoutResult('agents/saveOwnAgent', OwnAgent),
  /** Stops a running test. */
  cancelTest: defineRequestWithoutResult('agents/cancelTest', NoValue),
};

export const didChangeAgents = defineNotification('agents/didChange', AgentsView);
/** The icon of an agent: the text of an SVG image that was checked. */
export const didLoadIcon = defineNotification('agents/didLoadIcon', z.object({ key: Text, svg: Text }));
/** Shows the form for an own agent: a new one, or the named one. */
export const didRequestForm = defineNotification('agents/didRequestForm', z.object({ name: optional(Text) }));
