import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { AuthKeyVariable, AuthMethod } from '../../../session/common/sessionBackend';
import type { AgentAuthMethod } from '../session/agentMessages';
import { isKeyVariable, type AgentKeyUse } from './agentKeys';

export interface SignInCommand {
  readonly label: string;
  /** The command to run. If missing, the agent's own command and arguments are used, followed by `args`. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A way to sign in, and what it requires. */
export type SignInWay =
  /** The agent signs in by itself, through `authenticate`. */
  | { readonly kind: 'agent'; readonly method: AuthMethod }
  | { readonly kind: 'terminal'; readonly method: AuthMethod; readonly command: SignInCommand }
  /** The agent takes keys from its environment. `agentMethodId`: the method of the agent that makes it use them. */
  | { readonly kind: 'key'; readonly method: AuthMethod; readonly agentMethodId?: string };

/** The form in which Copilot and other agents announce their sign-in command. */
const TerminalAuthMeta = z.looseObject({
  'terminal-auth': z.looseObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    label: z.string().optional(),
  }),
});

/** The method type `env_var`, which ACP had until July 2026. */
const KeyMethod = z.looseObject({
  type: z.literal('env_var'),
  vars: z.array(z.looseObject({ name: z.string(), label: z.string().nullish() })).optional(),
  varName: z.string().optional(),
  link: z
    .url({ protocol: /^https$/ })
    .nullish()
    .catch(undefined),
});

/** The ways to sign in to an agent: its own methods first, then the keys that it is known to accept. */
export function signInWays(methods: readonly AgentAuthMethod[], { keys, methodId }: AgentKeyUse): readonly SignInWay[] {
  const own = methods.filter(({ id }) => keys.length === 0 || id !== methodId).map(ownWay);
  const announced = new Set(own.flatMap(({ method }) => (method.keys ?? []).map(({ variable }) => variable)));
  const agentMethodId = methods.some(({ id }) => id === methodId) ? methodId : undefined;
  const known = keys
    .filter(({ variable }) => !announced.has(variable))
    .map((key): SignInWay => ({ kind: 'key', method: keyMethod(key), ...withoutUndefined({ agentMethodId }) }));
  return [...own, ...known];
}

/** Returns the way to sign in with a key that is stored for any variable. */
export function wayOfVariable(variable: string): SignInWay {
  return { kind: 'key', method: keyMethod({ variable, name: variable }) };
}

export function keyMethodId(variable: string): string {
  return `key:${variable}`;
}

function keyMethod(key: AuthKeyVariable): AuthMethod {
  return { id: keyMethodId(key.variable), name: key.name, type: 'key', keys: [key] };
}

function ownWay(method: AgentAuthMethod): SignInWay {
  const { id, name, description } = method;
  const shared = { id, name, ...withoutUndefined({ description }) };
  const keys = announcedKeys(method);
  if (keys.length > 0) return { kind: 'key', method: { ...shared, type: 'key', keys } };
  const command = terminalCommand(method);
  if (command) return { kind: 'terminal', method: { ...shared, type: 'terminal' }, command };
  return { kind: 'agent', method: { ...shared, type: 'agent' } };
}

function announcedKeys(method: AgentAuthMethod): readonly AuthKeyVariable[] {
  const found = KeyMethod.safeParse(method).data;
  if (!found) return [];
  const { link, varName, vars = varName === undefined ? [] : [{ name: varName }] } = found;
  return vars
    .filter(({ name }) => isKeyVariable(name))
    .map(({ name: variable, label }) => ({
      variable,
      name: typeof label === 'string' && label !== '' ? label : variable,
      ...withoutUndefined({ page: link ?? undefined }),
    }));
}

function terminalCommand(method: AgentAuthMethod): SignInCommand | undefined {
  const { name, type, args, env, _meta: meta } = method;
  const found = TerminalAuthMeta.safeParse(meta).data?.['terminal-auth'];
  if (found) return { label: found.label ?? name, command: found.command, args: found.args, env: found.env };
  return type === 'terminal' ? { label: name, args: args ?? [], env: env ?? {} } : undefined;
}
