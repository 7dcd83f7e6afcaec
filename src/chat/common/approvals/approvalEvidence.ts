import { isRecord } from '../../../base/common/isRecord';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { ApprovalContext } from '../../../session/common/approvalContext';
import { environmentEffectOf } from '../../../permissions/common/requests/environmentVariables';
import { findEscalations } from '../../../permissions/common/requests/escalations';
import { environmentMemberNames } from '../../../permissions/common/requests/toolInput';
import type { DiffTexts } from '../chatPorts';
import { approvalTitle, quotedTitle } from './approvalWords';
import { describeScript, isTitle } from './commandTitle';
import type { ApprovalView, NamedText } from '../chatView';
import {
  commandKeys,
  commandOf,
  contentParts,
  changePartsOfInput,
  toJson,
  urlOf,
  type PartsWithDiffs,
  type ToolInput,
} from '../transcript/toolParts';

interface Evidence {
  readonly context: ApprovalContext;
  readonly shown: Pick<
    ApprovalView,
    'title' | 'parts' | 'warnings' | 'escalations' | 'env' | 'cwd' | 'folder' | 'more' | 'isUndescribed'
  >;
  readonly diffs: readonly (DiffTexts | undefined)[];
}

/** Maximum length of a prompt in a heading, in UTF-16 units. */
const maxPromptUnits = 120;

/**
 * Collects everything that an approval shows. Each field of the request is shown as a part, a variable or a warning, or
 * else in `more`. `raw` is the context as it was sent; `call` describes the waiting call; `backend` is the title of its backend.
 */
export function collectEvidence(
  prompt: string,
  raw: ToolInput,
  call: PartsWithDiffs | undefined,
  backend: string,
): Evidence {
  const context = ApprovalContext.parse(raw);
  const { input = {}, paths = [], warnings = [] } = context;
  const env = unique(
    [raw, input].flatMap((source) => environmentMemberNames.flatMap((name) => parseEnv(source[name]) ?? [])),
  );
  // Fields without their own place on the card are searched, because backends may report escalations incompletely or
  // not at all.
  const unread = Object.fromEntries(Object.entries(raw).filter(([name]) => !isParsed(context, name)));
  const escalations = unique(
    [context.escalations ?? {}, findEscalations(unread), findEscalations(input)].flatMap((found) =>
      namedTexts(Object.entries(found)),
    ),
  );
  const cwd = context.cwd ?? cwdOf(input);

  const mainParts = mainPartsOf(raw, context, call);
  const texts = textsOf(mainParts);
  const [firstPart] = mainParts.parts;
  const command = firstPart?.type === 'terminal' ? firstPart.command : undefined;
  const description = command === undefined ? undefined : [input['description'], raw['description']].find(isTitle);
  const unseen = paths.filter((path) => ![...texts].some((text) => path === text || path.endsWith(`/${String(text)}`)));
  const parts = [...mainParts.parts];
  if (unseen.length > 0) parts.push({ type: 'list', items: unseen });
  const script = command === undefined ? undefined : describeScript(command);
  const title = description === undefined ? script : quotedTitle(description);
  const isTitleShown =
    title !== undefined && approvalTitle({ asks: context.agent ?? backend, prompt, title, parts }) === title;

  const isShown = (name: string, value: unknown): boolean =>
    value === undefined ||
    value === null ||
    texts.has(value) ||
    value === cwd ||
    value === prompt ||
    (name === 'description' && value === description && isTitleShown) ||
    isEnvironment(name, value) ||
    escalations.some((one) => one.name === name && one.value === asText(value));
  const members = mainParts.isInputWhole ? [] : Object.entries(input);
  const more = namedTexts([
    ...Object.entries(unread).filter(([name, value]) => !isShown(name, value)),
    ...members.filter(([name, value]) => !isShown(name, value)),
  ]);

  const isUndescribed = parts.length === 0 && more.length === 0;
  const isLong = prompt.length > maxPromptUnits || /[\r\n]/.test(prompt.trim());
  if (parts.length === 0 && isLong) parts.push({ type: 'text', text: prompt, plain: true });
  return {
    context,
    diffs: mainParts.diffs,
    shown: {
      ...(isTitleShown ? { title } : {}),
      parts,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(escalations.length > 0 ? { escalations } : {}),
      ...(env.length > 0 ? { env: env.map((variable) => withEffect(variable, env)) } : {}),
      ...(cwd === undefined || cwd === context.folder ? {} : { cwd }),
      ...withoutUndefined({ folder: cwd ?? context.folder }),
      ...(more.length > 0 ? { more } : {}),
      ...(isUndescribed ? { isUndescribed } : {}),
    },
  };
}

/** Returns the diffs that an approval shows from its own context, without those of its tool call. */
export function shownDiffsOf(raw: ToolInput): DiffTexts[] {
  return mainPartsOf(raw, ApprovalContext.parse(raw), undefined).diffs.flatMap((diff) => diff ?? []);
}

interface MainParts extends PartsWithDiffs {
  /** The values that make up the command. */
  readonly commandTexts: readonly unknown[];
  readonly isInputWhole?: boolean;
}

/** Chooses the parts to show. A command comes first and is never shortened. */
function mainPartsOf(raw: ToolInput, context: ApprovalContext, call: PartsWithDiffs | undefined): MainParts {
  const input = context.input ?? {};
  const source = commandOf(raw) === undefined ? input : raw;
  const command = commandOf(source);
  const commandTexts = command === undefined ? [] : commandKeys(source).map((key) => source[key]);
  const content = context.content ? contentParts(context.content) : undefined;
  if (content && content.parts.length > 0) return { ...withCommand(command, content), commandTexts };
  const change = changePartsOfInput(input);
  if (change.parts.length > 0 || command !== undefined) return { ...withCommand(command, change), commandTexts };
  const uri = urlOf(input) ?? urlOf(raw);
  if (uri !== undefined) return { parts: [{ type: 'link', uri }], diffs: [], commandTexts };
  const members = Object.fromEntries(Object.entries(input).filter(([name, value]) => !isEnvironment(name, value)));
  if (Object.keys(members).length > 0) {
    return { parts: [{ type: 'json', json: toJson(members) }], diffs: [], commandTexts, isInputWhole: true };
  }
  return { ...(call ?? { parts: [], diffs: [] }), commandTexts };
}

function withCommand(command: string | undefined, { parts, diffs }: PartsWithDiffs): PartsWithDiffs {
  if (command === undefined || parts.some((part) => part.type === 'terminal' && part.command === command)) {
    return { parts, diffs };
  }
  return { parts: [{ type: 'terminal', command, output: '' }, ...parts], diffs: [undefined, ...diffs] };
}

/** Returns all values that the parts show unchanged. */
function textsOf({ commandTexts, diffs, parts }: MainParts): ReadonlySet<unknown> {
  const texts = new Set<unknown>(commandTexts);
  for (const diff of diffs) if (diff) for (const text of [diff.path, diff.before, diff.after]) texts.add(text);
  for (const part of parts) {
    if (part.type === 'terminal') texts.add(part.command);
    if (part.type === 'diff' || part.type === 'file') texts.add(part.path);
    if ((part.type === 'text' || part.type === 'file') && (part.omitted ?? 0) === 0) texts.add(part.text);
    if (part.type === 'link') texts.add(part.uri);
  }
  texts.delete(undefined);
  return texts;
}

/** Whether the field was valid, so that it has its own place on the card. */
function isParsed(context: ApprovalContext, name: string): boolean {
  return name in ApprovalContext.shape && context[name] !== undefined;
}

/** Parses environment variables: an object, a list of pairs, or of `NAME=value`. Undefined for other values. */
function parseEnv(value: unknown): NamedText[] | undefined {
  if (isRecord(value)) return namedTexts(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const named = value.map((item: unknown): NamedText | undefined => {
    if (typeof item === 'string' && item.includes('=')) {
      const at = item.indexOf('=');
      return { name: item.slice(0, at), value: item.slice(at + 1) };
    }
    if (!isRecord(item) || typeof item['name'] !== 'string') return undefined;
    return { name: item['name'], value: asText(item['value']) };
  });
  const known = named.filter((item) => item !== undefined);
  return known.length === named.length ? known : undefined;
}

function isEnvironment(name: string, value: unknown): boolean {
  return environmentMemberNames.includes(name) && parseEnv(value) !== undefined;
}

/** Adds the effect of a variable. Ignores case on all systems, as Windows does: an extra warning does no harm. */
function withEffect(variable: NamedText, all: readonly NamedText[]): NamedText & { effect?: string } {
  const isAmbiguous = all.some(({ name, value }) => name === variable.name && value !== variable.value);
  const effects = [environmentEffectOf(variable.name, true), isAmbiguous ? 'is set to more than one value' : undefined];
  const effect = effects.filter((one) => one !== undefined).join(', and ');
  return effect === '' ? variable : { ...variable, effect };
}

/** Removes duplicates, because the context often repeats the input. */
function unique(all: readonly NamedText[]): NamedText[] {
  return all.filter(
    (one, index) => all.findIndex(({ name, value }) => name === one.name && value === one.value) === index,
  );
}

function cwdOf(input: ToolInput): string | undefined {
  const cwd = input['cwd'] ?? input['workdir'] ?? input['working_directory'];
  return typeof cwd === 'string' ? cwd : undefined;
}

function namedTexts(members: readonly (readonly [string, unknown])[]): NamedText[] {
  return members.map(([name, value]) => ({ name, value: asText(value) }));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}
