import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { settingIds } from '../../../src/manifest';
import { PolicyAnswer } from '../../../src/permissions/common/policy/policy';
import { policyKinds } from '../../../src/permissions/common/policy/policyKinds';

const Kinds = z.record(z.string(), z.object({ enum: z.array(z.string()) }));
const Setting = z.object({
  scope: z.string(),
  additionalProperties: z.object({ additionalProperties: z.literal(false), properties: Kinds }),
});
const Manifest = z.object({
  capabilities: z.object({ untrustedWorkspaces: z.object({ restrictedConfigurations: z.array(z.string()) }) }),
  contributes: z.object({ configuration: z.array(z.object({ properties: z.record(z.string(), z.unknown()) })) }),
});

describe('the setting backline.permissions in package.json', () => {
  const { capabilities, contributes } = Manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const id = settingIds.permissions;
  const setting = Setting.parse(contributes.configuration.find(({ properties }) => id in properties)?.properties[id]);

  it('belongs to the machine, as its text says', () => assert.equal(setting.scope, 'machine-overridable'));

  it('counts in a workspace that is not trusted, too, since a workspace only makes it stricter', () => {
    assert.ok(!capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id));
  });

  it('offers the kinds and answers that the code knows', () => {
    const { properties } = setting.additionalProperties;
    assert.deepEqual(Object.keys(properties), [...policyKinds]);
    for (const { enum: answers } of Object.values(properties)) assert.deepEqual(answers, PolicyAnswer.options);
  });
});
