import type { BackendEntry, BackendRegistry } from '../../../../session/common/backendRegistry';
import type { SessionBackend } from '../../../../session/common/sessionBackend';
import { documentedFailure, invalidFieldFailure } from '../http/apiFailure';

/** Name of the default profile, which clients request if the user has not chosen another. */
const defaultName = 'dev';

interface Profile {
  /** Name of the profile: `name` or `collection:name`. */
  readonly name: string;
  readonly description: string;
  readonly backendId: string;
}

interface OpenedProfile {
  readonly name: string;
  readonly backend: SessionBackend;
  /** Explains why the profile differs from the requested one. */
  readonly notice?: string;
}

/** Offers each backend as a profile and an agent. The first backend that works is also the profile `dev`. */
export class ProfileDirectory {
  constructor(
    private readonly backends: Pick<BackendRegistry, 'list' | 'open'>,
    private readonly version: string,
  ) {}

  /**
   * Opens the backend of a profile. For an unknown name, which a client may have from another server, opens the default
   * profile.
   * @throws ApiFailure 400 if there is no default; BackendError
   */
  async openBackend(name: string): Promise<OpenedProfile> {
    const profiles = await this.loadProfiles();
    const known = profiles.find((candidate) => candidate.name === name);
    const profile = known ?? profiles.find((candidate) => candidate.name === defaultName);
    if (!profile) throw invalidFieldFailure('profile', `There is no profile "${name}". GET /profiles lists them.`);
    const backend = await this.backends.open(profile.backendId);
    if (known) return { name, backend };
    const notice =
      `There is no profile "${name}", so the session uses "${profile.name}" (${backend.title}). ` +
      'GET /profiles lists all profiles.';
    return { name: profile.name, backend, notice };
  }

  async listProfiles(collection: string | null): Promise<object> {
    return { profiles: (await this.loadProfiles()).filter((profile) => isIn(profile, collection)).map(summaryOf) };
  }

  /** Describes a profile. @throws ApiFailure 404 */
  async describeProfile(name: string): Promise<object> {
    const profile = (await this.loadProfiles()).find((candidate) => candidate.name === name);
    if (!profile) throw documentedFailure('PROFILE_NOT_FOUND', `Profile '${name}' not found`, { profile: name });
    // The lists are empty, because agents do not report their models and tools.
    return { ...summaryOf(profile), providers: [], tools: [], hooks: [], agents: [profile.backendId] };
  }

  async listCollections(): Promise<object> {
    const profiles = await this.loadProfiles();
    const names = new Set(profiles.flatMap((profile) => collectionOf(profile) ?? []));
    const collections = [...names].map((name) => {
      const members = profiles.filter((profile) => isIn(profile, name)).map((profile) => shortName(profile, name));
      return { name, description: `Agents of ${name}`, version: this.version, profiles: members, agents: members };
    });
    return { collections };
  }

  async listAgents(collection: string | null): Promise<object> {
    const agents = (await this.backends.list()).map(toProfile).filter((profile) => isIn(profile, collection));
    return {
      agents: agents.map((agent) => ({
        name: agent.name,
        collection: collectionOf(agent),
        description: agent.description,
      })),
    };
  }

  private async loadProfiles(): Promise<readonly Profile[]> {
    const entries = await this.backends.list();
    const profiles = entries.map(toProfile);
    const first = entries.find(({ problem }) => problem === undefined);
    if (!first || profiles.some(({ name }) => name === defaultName)) return profiles;
    return [...profiles, { ...toProfile(first), name: defaultName }];
  }
}

function toProfile({ id, title, problem }: BackendEntry): Profile {
  return { name: id, description: problem === undefined ? title : `${title}: ${problem}`, backendId: id };
}

function summaryOf(profile: Profile): object {
  const { name, description, backendId } = profile;
  return { name, collection: collectionOf(profile), description, extends: backendId === name ? null : backendId };
}

/** Returns the collection of an agent whose name in the settings is `collection:name`. */
function collectionOf({ name }: Profile): string | null {
  const colon = name.indexOf(':');
  return colon > 0 ? name.slice(0, colon) : null;
}

function isIn(profile: Profile, collection: string | null): boolean {
  return collection === null || collectionOf(profile) === collection;
}

function shortName({ name }: Profile, collection: string): string {
  return name.slice(collection.length + 1);
}
