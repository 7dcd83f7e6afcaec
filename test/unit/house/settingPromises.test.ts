import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ProcessAgentSetting } from '../../../src/acp/common/catalogue/agentSettings';
import { settingIds } from '../../../src/manifest';
import {
  ContextDecorationStyle,
  defaultPortRange,
  ContextHoverTimeoutMs,
  ContextCodeLensMode,
  mergeGlobLevels,
  parsePortRange,
} from '../../../src/platform/common/settings';

/** A setting, or a member of one: what VS Code checks, and what it shows. */
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  scope: z.string().optional(),
  ignoreSync: z.boolean().optional(),
  default: z.unknown(),
  enum: z.array(z.string()).optional(),
  enumDescriptions: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  patternErrorMessage: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  description: z.string().optional(),
  markdownDescription: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
});
type Schema = z.infer<typeof Schema>;

const Manifest = z.object({
  capabilities: z.object({ untrustedWorkspaces: z.object({ restrictedConfigurations: z.array(z.string()) }) }),
  contributes: z.object({ configuration: z.array(z.object({ properties: z.record(z.string(), Schema) })) }),
});
const manifest = Manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const nls = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync('package.nls.json', 'utf8')));
const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
const settings = new Map(manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties)));

const textOf = ({ description, markdownDescription }: Schema): string => {
  const key = markdownDescription ?? description ?? '';
  return nls[key.replace(/^%|%$/g, '')] ?? key;
};
const settingOf = (id: string): Schema => {
  const setting = settings.get(id);
  assert.ok(setting, id);
  return setting;
};

/** Every schema in a setting, by its path. */
function* schemasIn(path: string, value: unknown): Generator<readonly [string, Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) return;
  const schema = Schema.safeParse(value).data;
  if (schema && (schema.type !== undefined || schema.enum)) yield [path, schema];
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'default' && key !== 'examples') yield* schemasIn(`${path}.${key}`, member);
  }
}
const schemas = [...settings].flatMap(([id, setting]) => [...schemasIn(id, setting)]);

/** What is wrong with a value, by what the manifest says of it. */
function problemOf(schema: Schema, value: unknown): string | undefined {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fits = types.some((type) => type === actual || (type === 'integer' && Number.isInteger(value)));
  if (types.length > 0 && !fits) return `is ${actual}, not ${types.join(' or ')}`;
  if (schema.enum && (typeof value !== 'string' || !schema.enum.includes(value))) return 'is none of the values';
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    return 'is outside of minimum and maximum';
  if (typeof value !== 'string') return undefined;
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return 'does not fit the pattern';
  return value.length < (schema.minLength ?? 0) ? 'is too short' : undefined;
}

describe('what the description of a setting promises', () => {
  it('is in the language that people read: no text is a key that is missing', () => {
    for (const [path, schema] of schemas) assert.doesNotMatch(textOf(schema), /^%/, path);
    for (const [id, setting] of settings) assert.notEqual(textOf(setting), '', id);
  });

  it('is not synchronized where it says so, and says so where it is not', () => {
    for (const [id, setting] of settings) {
      const isOfMachine = setting.scope === 'machine' || setting.scope === 'machine-overridable';
      const says = textOf(setting).includes('This setting is not synchronized.');
      assert.deepEqual([id, isOfMachine, setting.ignoreSync === true], [id, says, says]);
    }
    assert.equal(settingOf(settingIds.acpAgents).scope, 'machine-overridable');
  });

  it('keeps settings of an untrusted workspace out where it speaks of what a workspace can do', () => {
    const speaking = [...settings].filter(([, setting]) =>
      /Workspace settings can only (?!make this stricter)/.test(textOf(setting)),
    );
    assert.ok(speaking.length >= 2);
    for (const [id] of speaking) assert.ok(restricted.includes(id), id);
  });

  it('counts only in a trusted workspace where it says so: by the manifest, or by the code that reads it', () => {
    const byCode: readonly string[] = [settingIds.contextProviders];
    const saying = [...settings].filter(([, setting]) =>
      textOf(setting).includes('used only in a workspace that you trust'),
    );
    assert.ok(saying.length >= 2);
    for (const [id] of saying) assert.ok(restricted.includes(id) || byCode.includes(id), id);
  });

  it('only lets a workspace add globs to backline.exclude and backline.protectedFiles', () => {
    for (const id of [settingIds.exclude, settingIds.protectedFiles]) {
      assert.match(textOf(settingOf(id)), /Workspace settings can only add globs/);
    }
    const levels = { defaults: { a: true }, user: { b: true }, workspace: { a: false, b: false, c: true, d: false } };
    assert.deepEqual(mergeGlobLevels(levels).globs, ['a', 'b', 'c']);
    assert.deepEqual(mergeGlobLevels({ ...levels, workspace: ['!a', 'c'] }).globs, ['a', 'b', 'c']);
  });

  it('names the unit of every number that has one, in the id and in the text', () => {
    for (const [id, setting] of settings) {
      const isMs = (textOf(setting).split('.')[0] ?? '').includes('milliseconds');
      assert.equal(id.endsWith('Ms'), isMs, id);
    }
  });

  it('has limits for every number', () => {
    for (const [path, schema] of schemas) {
      if (schema.type !== 'integer' && schema.type !== 'number') continue;
      assert.ok(schema.minimum !== undefined && schema.maximum !== undefined, path);
    }
  });

  it('describes every value of a choice', () => {
    for (const [path, schema] of schemas) {
      const descriptions = schema.enumDescriptions?.map((key) => nls[key.replaceAll('%', '')] ?? '');
      if (descriptions) assert.equal(descriptions.filter((text) => text !== '').length, schema.enum?.length, path);
    }
    for (const [id, setting] of settings) if (setting.enum) assert.ok(setting.enumDescriptions, id);
  });

  it('has a default that is allowed, and examples that are', () => {
    for (const [path, schema] of schemas) {
      if (schema.default !== undefined)
        assert.equal(problemOf(schema, schema.default), undefined, `default of ${path}`);
      for (const example of schema.examples ?? []) assert.equal(problemOf(schema, example), undefined, path);
    }
  });

  it('has examples in its text that can be typed as they are', () => {
    let count = 0;
    for (const [id, setting] of settings) {
      const [, examples = ''] = /\nExamples?: (`[^\n]*)/.exec(textOf(setting)) ?? [];
      const blocks = [...textOf(setting).matchAll(/```json\n([\s\S]*?)\n```/g)].map((match) => match[1] ?? '');
      for (const example of [...[...examples.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''), ...blocks]) {
        count++;
        assert.equal(problemOf(setting, JSON.parse(example)), undefined, `${id}: ${example}`);
      }
    }
    assert.ok(count >= 10, String(count));
  });

  it('has the values, defaults and limits that the code has', () => {
    const lens = settingOf(settingIds.contextCodeLens);
    assert.deepEqual(lens.enum, [...ContextCodeLensMode.unwrap().options]);
    assert.equal(lens.default, ContextCodeLensMode.parse(undefined));
    const decoration = settingOf(settingIds.contextDecoration);
    assert.deepEqual(decoration.enum, [...ContextDecorationStyle.unwrap().options]);
    assert.equal(decoration.default, ContextDecorationStyle.parse(undefined));
    const { default: usual, minimum = 0, maximum = 0 } = settingOf(settingIds.contextHoverTimeoutMs);
    const read = [minimum, maximum, minimum - 1, maximum + 1].map((value) => ContextHoverTimeoutMs.parse(value));
    assert.deepEqual(read, [minimum, maximum, usual, usual]);
    assert.deepEqual(parsePortRange(settingOf(settingIds.ampPortRange).default), defaultPortRange);
    const dialect = schemas.find(([path]) => path.endsWith('.dialect'))?.[1];
    assert.deepEqual(dialect?.enum, [...ProcessAgentSetting.shape.dialect.unwrap().options]);
    assert.equal(dialect.default, ProcessAgentSetting.parse({ command: 'a' }).dialect);
  });

  it('speaks of no setting that there is not', () => {
    for (const [path, schema] of schemas) {
      for (const [, id = ''] of textOf(schema).matchAll(/[`#](backline\.[\w.]+)[`#]/g))
        assert.ok(settings.has(id), `${path}: ${id}`);
    }
  });
});
