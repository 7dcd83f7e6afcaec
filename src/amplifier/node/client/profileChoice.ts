import * as z from 'zod';
import type { Logger } from '../../../base/common/log';
import { isAmplifierApiError, type AmplifierApiError } from '../../common/api/apiErrors';
import { isRealServer, type Profile, type ServerInfo } from '../../common/api/apiSchema';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import { BackendError, isBackendError, type ProfileAndModel } from '../../../session/common/sessionBackend';
import type { AmplifierClient } from './http/amplifierClient';

interface ProfileChoiceDeps {
  readonly client: Pick<AmplifierClient, 'listProfiles' | 'getProfile'>;
  readonly configured: () => string;
  readonly log: Logger;
}

type SelectOption = Extract<ConfigOption, { type: 'select' }>;

/** Names of profiles that servers are known to include, followed by those in the examples of the API reference. */
const commonNames: readonly string[] = ['vscode-simple', 'vscode-dev', 'dev', 'foundation'];
const maxOffered = 3;
const notFound = /not found|no such|unknown|does(?: not|n't) exist|there is no|invalid profile/iu;

/** Offers the profiles and models for new sessions of one server. */
export class ProfileChoice {
  /** The error message for each profile that the server does not have. */
  private readonly problemByProfile = new Map<string, string>();

  constructor(private readonly deps: ProfileChoiceDeps) {}

  defaultProfile(info: ServerInfo | undefined): string {
    return this.deps.configured() || (info && isRealServer(info) ? 'vscode-simple' : 'dev');
  }

  /** Returns the option for the profile (a list or free text), and for the model if the server lists models. */
  async listOptions(
    chosen: ProfileAndModel,
    info: ServerInfo | undefined,
    signal?: AbortSignal,
  ): Promise<ConfigOption[]> {
    const listed = await this.listProfiles(signal);
    const profile = listed
      ? this.listedProfileOption(listed, chosen.profile, info)
      : this.typedProfileOption(chosen.profile, info);
    const model = listed ? await this.modelOption(profile.value, chosen.model, signal) : undefined;
    return model ? [profile, model] : [profile];
  }

  clearProblem(profile: string): void {
    this.problemByProfile.delete(profile);
  }

  /** Replaces an error about an unknown profile with one that suggests others. Returns other errors unchanged. */
  async explainError(error: unknown, profile: string): Promise<unknown> {
    if (!isRefusal(error)) return error;
    const listed = await this.listProfiles().catch(() => undefined);
    const others = (listed?.map(({ name }) => name) ?? commonNames).filter(
      (name) => name !== profile && !this.problemByProfile.has(name),
    );
    const message = `The server doesn’t have a profile "${profile}". ${adviceOf(others)}`;
    this.problemByProfile.set(profile, message);
    return new BackendError('invalidRequest', message, error.message, { cause: error.cause });
  }

  /** Returns the profiles. Undefined if the server cannot list them, as the real one. @throws AmplifierApiError */
  private async listProfiles(signal?: AbortSignal): Promise<readonly Profile[] | undefined> {
    try {
      const profiles = await this.deps.client.listProfiles(signal);
      return profiles.length > 0 ? profiles : undefined;
    } catch (error) {
      if (!isAmplifierApiError(error) || !isAnswer(error)) throw error;
      this.deps.log.debug(`the server does not list its profiles: ${error.code}`);
      return undefined;
    }
  }

  private listedProfileOption(
    profiles: readonly Profile[],
    chosen: string | undefined,
    info: ServerInfo | undefined,
  ): SelectOption {
    const has = (wanted: string): boolean => profiles.some(({ name }) => name === wanted);
    const wanted = [chosen, this.defaultProfile(info), profiles[0]?.name].find(
      (name) => name !== undefined && has(name),
    );
    const choices = profiles.map(({ name, collection, description }) => ({
      value: name,
      name,
      ...(description === undefined || description === '' ? {} : { description }),
      ...(collection === undefined || collection === '' ? {} : { group: collection }),
    }));
    return this.profileOption(wanted ?? '', choices);
  }

  private typedProfileOption(chosen: string | undefined, info: ServerInfo | undefined): SelectOption {
    const value = chosen ?? this.defaultProfile(info);
    const names = new Set([value, this.defaultProfile(info), ...commonNames]);
    const choices = [...names]
      .filter((name) => !this.problemByProfile.has(name))
      .map((name) => ({ value: name, name }));
    const description = 'The server doesn’t list its profiles. Choose a common name or enter another one.';
    return { ...this.profileOption(value, choices), description, custom: true };
  }

  private profileOption(value: string, choices: SelectOption['choices']): SelectOption {
    const problem = this.problemByProfile.get(value);
    const option = { type: 'select', id: 'profile', name: 'Profile', category: 'profile', value, choices } as const;
    return problem === undefined ? option : { ...option, problem };
  }

  private async modelOption(
    profile: string,
    chosen = '',
    signal: AbortSignal | undefined,
  ): Promise<SelectOption | undefined> {
    const models = await this.deps.client.getProfile(profile, signal).then(modelsOf, () => []);
    if (models.length === 0) return undefined;
    const choices = [
      { value: '', name: 'Default model', description: 'The default model of the profile' },
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

/** Returns the names of all models in the provider configuration of a profile. */
function modelsOf({ providers }: Profile): string[] {
  const named = (providers ?? []).flatMap(({ config }) => {
    const { default_model: first, model, models = [] } = ModelConfig.safeParse(config).data ?? {};
    return [first, model, ...models];
  });
  return [...new Set(named)].filter((name): name is string => name !== undefined && name !== '');
}

/** Whether the error shows that the server responds and accepts the credentials. */
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
