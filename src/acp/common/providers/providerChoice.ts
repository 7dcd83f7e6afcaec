import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { headerSecrets, literalHeaderProblem } from '../remote/agentHeaders';
import { llmProviderUrlProblem } from '../remote/agentUrl';

/** A header for the requests of an agent to an LLM provider. Its value is a secret. */
export interface ProviderHeader {
  readonly name: string;
  readonly value: string;
}

/** What the user has chosen for an LLM provider of an agent. */
export type ProviderChoice =
  | {
      readonly kind: 'address';
      readonly apiType: string;
      readonly baseUrl: string;
      readonly headers: readonly ProviderHeader[];
    }
  | { readonly kind: 'disabled' };

/** By the id of the provider. */
export type ProviderChoices = ReadonlyMap<string, ProviderChoice>;

const maxHeaders = 20;
const maxValueLength = 16_384;
const maxProviders = 50;

/** Returns why a header cannot be sent, as a sentence. Undefined if it can be sent. */
export function providerHeaderProblem({ name, value }: ProviderHeader): string | undefined {
  if (value === '') return 'Enter the value.';
  if (value.length > maxValueLength) return `A value has at most ${maxValueLength} characters.`;
  const problem = literalHeaderProblem(name, value);
  return problem === undefined ? undefined : toSentence(problem);
}

/** Returns why an address cannot be used, as a sentence. Undefined if it can be used. */
export function addressProblem(baseUrl: string): string | undefined {
  const problem = llmProviderUrlProblem(baseUrl);
  if (problem !== undefined) return toSentence(problem);
  // A query may contain a key. Addresses are shown, and only headers are redacted.
  if (new URL(baseUrl).search === '') return undefined;
  return 'Remove the part after ? from the URL, and send a key in a header, such as Authorization.';
}

/** Returns why a choice cannot be stored, as a sentence. Undefined if it can be stored. */
export function choiceProblem(choice: ProviderChoice): string | undefined {
  if (choice.kind === 'disabled') return undefined;
  const { baseUrl, headers } = choice;
  if (headers.length > maxHeaders) return `At most ${maxHeaders} headers can be sent.`;
  const names = new Set(headers.map(({ name }) => name.toLowerCase()));
  if (names.size < headers.length) return 'A header can only be sent once.';
  return addressProblem(baseUrl) ?? headers.map(providerHeaderProblem).find((problem) => problem !== undefined);
}

/** The headers for another address: those of the earlier address only if the requests still go to the same origin. */
export function headersKeptForAddress(earlier: ProviderChoice | undefined, baseUrl: string): readonly ProviderHeader[] {
  if (earlier?.kind !== 'address') return [];
  return new URL(earlier.baseUrl).origin === new URL(baseUrl).origin ? earlier.headers : [];
}

/** Texts to redact in logs, messages and transcripts. */
export function secretsOfChoices(choices: ProviderChoices): readonly string[] {
  return [...choices.values()].flatMap((choice) =>
    choice.kind === 'disabled' ? [] : choice.headers.flatMap(({ name, value }) => headerSecrets(name, value)),
  );
}

const StoredChoices = z.array(
  z.discriminatedUnion('kind', [
    z.strictObject({
      id: z.string(),
      kind: z.literal('address'),
      apiType: z.string(),
      baseUrl: z.string(),
      headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    }),
    z.strictObject({ id: z.string(), kind: z.literal('disabled') }),
  ]),
);

/** Returns the text to store. Undefined if there are no choices. @throws Error if there are too many */
export function serializeChoices(choices: ProviderChoices): string | undefined {
  if (choices.size > maxProviders) throw new Error(`At most ${maxProviders} LLM providers of an agent can be changed.`);
  if (choices.size === 0) return undefined;
  return JSON.stringify([...choices].map(([id, choice]) => ({ id, ...inOrder(choice) })));
}

export function isSameChoice(one: ProviderChoice | undefined, other: ProviderChoice | undefined): boolean {
  if (!one || !other) return one === other;
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** Returns the choice with its members in a fixed order, so that equal choices have equal texts. */
function inOrder(choice: ProviderChoice): ProviderChoice {
  if (choice.kind === 'disabled') return { kind: 'disabled' };
  const { apiType, baseUrl, headers, kind } = choice;
  return { kind, apiType, baseUrl, headers: headers.map(({ name, value }) => ({ name, value })) };
}

/** @throws Error if the text is invalid, because without the choices, prompts could go to the wrong provider */
export function parseChoices(text: string): ProviderChoices {
  const stored = StoredChoices.safeParse(parseJson(text)).data;
  const choices = new Map(stored?.map(({ id, ...choice }) => [id, choice]));
  const isValid = stored !== undefined && [...choices.values()].every((choice) => choiceProblem(choice) === undefined);
  if (isValid) return choices;
  throw new Error('The stored LLM provider settings of this agent can’t be read.');
}

function toSentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}
