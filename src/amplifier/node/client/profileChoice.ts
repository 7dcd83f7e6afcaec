import * as z from 'zod';
import type { Logger } from '../../../base/common/log';
import { isAmplifierApiError, type AmplifierApiError } from '../../common/api/apiErrors';
import { isRealServer, type Profile, type ServerInfo } from '../../common/api/apiSchema';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import { BackendError, isBackendError, type SessionChoices } from '../../../session/common/sessionBackend';
import type { AmplifierClient } from './http/amplifierClient';

interface ProfileChoiceOptions {
  readonly client: Pick<AmplifierClient, 'listProfiles' | 'getProfile'>;
  /** The user's setting; empty for none. */
  readonly configured: () => string;
  readonly log: Logger;
}

type SelectOption = Extract<ConfigOption, { type: 'select' }>;

/** What servers have been seen to ship, the names of the API reference's examples last. */
const commonNames: readonly string[] = ['vscode-simple', 'vscode-dev', 'dev', 'foundation'];
const maxOffered = 3;
const notFound = /not found|no such|unknown|does(?: not|n't) exist|there is no|invalid profile/iu;

/** Which profile, and which model of it, sessions of one server are made with. */
export class ProfileChoice {
  /** The profiles that the server does not have, with what the user was told of each. */
  private readonly refused = new Map<string, string>();

  constructor(private readonly options: ProfileChoiceOptions) {}

  /** For a session whose profile nobody has chosen. */
  defaultFor(info: ServerInfo | undefined): string {
    return this.options.configured() || (info && isRealServer(info) ? 'vscode-simple' : 'dev');
  }

  /** The profile, from the server's list or, where it has none, to be typed; and the model, where the server lists any. */
  async ask(chosen: SessionChoices, info: ServerInfo | undefined, signal?: AbortSignal): Promise<ConfigOption[]> {
    const listed = await this.list(signal);
    const profile = listed ? this.listedOption(listed, chosen.profile, info) : this.typedOption(chosen.profile, info);
    const model = listed ? await this.modelOption(profile.value, chosen.model, signal) : undefined;
    return model ? [profile, model] : [profile];
  }

  /** The server has made a session with it. */
  accepted(profile: string): void {
    this.refused.delete(profile);
  }

  /** What the user is told when `error` says that the server does not have the profile; else the error itself. */
  async explain(error: unknown, profile: string): Promise<unknown> {
    if (!isRefusal(error)) return error;
    const listed = await this.list().catch(() => undefined);
    const others = (listed?.map(({ name }) => name) ?? commonNames).filter(
      (name) => name !== profile && !this.refused.has(name),
    );
    const message = `The server has no profile "${profile}". ${adviceOf(others)}`;
    this.refused.set(profile, message);
    return new BackendError('invalidRequest', message, error.message, { cause: error.cause });
  }

  /** Undefined when the server has no list: the one that exists fails at it. @throws AmplifierApiError */
  private async list(signal?: AbortSignal): Promise<readonly Profile[] | undefined> {
    try {
      const profiles = await this.options.client.listProfiles(signal);
      return profiles.length > 0 ? profiles : undefined;
    } catch (error) {
      if (!isAmplifierApiError(error) || !isAnswer(error)) throw error;
      this.options.log.debug(`the server does not list its profiles: ${error.code}`);
      return undefined;
    }
  }

  private listedOption(
    profiles: readonly Profile[],
    chosen: string | undefined,
    info: ServerInfo | undefined,
  ): SelectOption {
    const has = (wanted: string): boolean => profiles.some(({ name }) => name === wanted);
    const wanted = [chosen, this.defaultFor(info), profiles[0]?.name].find((name) => name !== undefined && has(name));
    const choices = profiles.map(({ name, collection, description }) => ({
      value: name,
      name,
      ...(description === undefined || description === '' ? {} : { description }),
      ...(collection === undefined || collection === '' ? {} : { group: collection }),
    }));
    return this.profileOption(wanted ?? '', choices);
  }

  private typedOption(chosen: string | undefined, info: ServerInfo | undefined): SelectOption {
    const value = chosen ?? this.defaultFor(info);
    const names = new Set([value, this.defaultFor(info), ...commonNames]);
    const choices = [...names].filter((name) => !this.refused.has(name)).map((name) => ({ value: name, name }));
    const description = 'The server does not list its profiles. Choose a common name or enter another one.';
    return { ...this.profileOption(value, choices), description, custom: true };
  }

  private profileOption(value: string, choices: SelectOption['choices']): SelectOption {
    const problem = this.refused.get(value);
    const option = { type: 'select', id: 'profile', name: 'Profile', category: 'profile', value, choices } as const;
    return problem === undefined ? option : { ...option, problem };
  }

  private async modelOption(
    profile: string,
    chosen = '',
    signal: AbortSignal | undefined,
  ): Promise<SelectOption | undefined> {
    const models = await this.options.client.getProfile(profile, signal).then(modelsOf, () => []);
    if (models.length === 0) return undefined;
    const choices = [
      { value: '', name: 'Default model', description: 'The profile’s model' },
      ...models.map((model) => ({ value: model, name: model })),
    ];
    return { type: 'select', id: 'model', name: 'Model', category: 'model', value: chosen, choices, custom: true };
  }
}

const ModelConfig = z.looseObject({
  default_model: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  models: z.array(z.string()).optional().catch(undefined),
});

/** What the providers of a profile say of models. */
function modelsOf({ providers }: Profile): string[] {
  const named = (providers ?? []).flatMap(({ config }) => {
    const { default_model: first, model, models = [] } = ModelConfig.safeParse(config).data ?? {};
    return [first, model, ...models];
  });
  return [...new Set(named)].filter((name): name is string => name !== undefined && name !== '');
}

/** The server has answered, and would take another request of us. */
function isAnswer({ httpStatus }: AmplifierApiError): boolean {
  return httpStatus !== undefined && httpStatus !== 401 && httpStatus !== 403;
}

const ProfileField = z.looseObject({ field: z.literal('profile') });

function isRefusal(error: unknown): error is BackendError {
  if (!isBackendError(error) || !isAmplifierApiError(error.cause)) return false;
  const { code, details, message } = error.cause;
  if (code === 'PROFILE_NOT_FOUND' || ProfileField.safeParse(details).success) return true;
  return /profile/iu.test(message) && notFound.test(message);
}

function adviceOf(names: readonly string[]): string {
  const offered = names.slice(0, maxOffered).map((name) => `"${name}"`);
  const last = offered.pop();
  if (last === undefined) return 'Enter another name.';
  return `Choose another one, for example ${[offered.join(', '), last].filter(Boolean).join(' or ')}.`;
}
