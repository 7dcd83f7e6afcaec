import assert from 'node:assert/strict';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { ContextClient } from '../../../src/context/common/contextClient';
import type { ContextItem } from '../../../src/context/common/items/contextItem';
import { dialects, type Dialect } from '../../../src/context/common/providers/contextSchema';
import { documentOf, factoryOf, realClient } from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';
import { serveProvider } from './support/providerServer';

const fixtures = path.join(process.cwd(), 'test/fixtures/context/providers');

const moduleShape = z.object({ default: z.looseObject({}) });

const lines = Array.from({ length: 25 }, (_, line) => `const v${line} = ${line}`);
lines[3] = "eventLogger.log('x')";
lines[12] = '// TODO(alice): fix';
lines[14] = "db.query('SELECT * FROM users')";
const fooText = `${lines.join('\n')}\n`;
const foo = documentOf(fooText);

const story = documentOf(
  [
    "import { Button } from './Button'",
    "import type { Meta, Story } from 'storybook'",
    '',
    "export default { title: 'ui/Button', component: Button } satisfies Meta",
    '',
    'export const Plain: Story = {}',
    "export const DangerZone: Story = { storyName: 'danger' }",
    '',
  ].join('\n'),
  1,
  'file:///repo/src/Button.story.tsx',
);
const metrics = documentOf(
  'package m\nvar h = prometheus.NewHistogram(prometheus.HistogramOpts{\n\tName: "http_seconds",\n})\n',
  1,
  'file:///repo/m.go',
);

const base = 'https://example.com';
const linksSettings = {
  links: [
    {
      title: 'Event logging tips',
      type: 'docs',
      url: `${base}/event-logging-docs`,
      description: '**Read** this',
      path: '**/*.ts',
      pattern: 'eventLogger\\.log',
    },
    {
      title: '$<table> table',
      url: `${base}/pg?table=$<table|queryEscape>`,
      path: '**',
      pattern: 'FROM (?<table>\\w+)',
    },
    { title: 'Contact $1', url: `${base}/people?q=$1`, path: '**', pattern: 'TODO\\((\\w+)\\)' },
    { title: 'CSS guide', url: `${base}/css`, path: '**/*.css' },
  ],
};
const storybookSettings = { storybookUrl: 'https://storybook.example.com/' };
const prometheusSettings = {
  metricRegistrationPatterns: [
    {
      path: '**/*.go',
      pattern: 'prometheus\\.HistogramOpts{\\s*Name:\\s*"([^"]+)',
      urlTemplate: `${base}/graph?q=$1`,
    },
  ],
};

const hello = (place: string): string[] => [place, '✨ Hello, world!', 'https://openctx.org', 'From OpenCtx'];
const cases = [
  {
    name: 'helloWorld',
    settings: true,
    document: foo,
    expected: [hello('0:0-12'), hello('10:0-14'), hello('20:0-14')],
  },
  {
    name: 'links',
    settings: linksSettings,
    document: foo,
    expected: [
      ['3:0-15', '📘 Docs: Event logging tips', `${base}/event-logging-docs`, '**Read** this'],
      ['12:3-14', 'Contact alice', `${base}/people?q=alice`, undefined],
      ['14:19-29', 'users table', `${base}/pg?table=users`, undefined],
    ],
  },
  { name: 'links', settings: {}, document: foo, expected: [] },
  {
    name: 'storybook',
    settings: storybookSettings,
    document: story,
    expected: [
      [
        '5:13-18',
        '🖼️ Storybook: ui/Button/Plain',
        'https://storybook.example.com/?path=%2Fstory%2Fui-button--plain',
        undefined,
      ],
      [
        '6:13-23',
        '🖼️ Storybook: ui/Button/danger',
        'https://storybook.example.com/?path=%2Fstory%2Fui-button--danger',
        undefined,
      ],
    ],
  },
  {
    name: 'prometheus',
    settings: prometheusSettings,
    document: metrics,
    expected: [['2:8-20', '📟 Prometheus metric: http_seconds', `${base}/graph?q=http_seconds`, undefined]],
  },
  { name: 'prometheus', settings: prometheusSettings, document: foo, expected: [] },
];

function rowOf({ range, title, url, hover }: ContextItem): (string | undefined)[] {
  const place = range ? `${range.start.line}:${range.start.character}-${range.end.character}` : 'file';
  return [place, title, url, hover?.markdown ?? hover?.text];
}

describe('the acceptance outputs of context providers', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());

  async function rows(client: ContextClient, document: typeof foo): Promise<unknown> {
    try {
      const answer = await client.requestItems(document);
      assert.deepEqual(
        client.providerStates.map(({ status, lastError }) => [status, lastError]),
        [['ready', undefined]],
      );
      return [...answer.items].map(rowOf);
    } finally {
      client.dispose();
    }
  }

  const fileOf = (name: string, dialect: Dialect): string =>
    pathToFileURL(path.join(fixtures, `${name}${dialect}.mjs`)).href;

  for (const dialect of dialects) {
    for (const { name, settings, document, expected } of cases) {
      const about = `${name} in dialect ${dialect} for ${document.uri}, ${expected.length} items`;

      it(`gets them from JavaScript: ${about}`, async () => {
        const client = realClient(factoryOf(worker.file), { [fileOf(name, dialect)]: settings });
        assert.deepEqual(await rows(client, document), expected);
      });

      it(`gets them over HTTP: ${about}`, async () => {
        const module: unknown = await import(fileOf(name, dialect));
        const { default: provider } = moduleShape.parse(module);
        const server = await serveProvider(provider);
        try {
          const client = realClient(factoryOf(worker.file), { [server.url]: settings });
          assert.deepEqual(await rows(client, document), expected);
        } finally {
          server.close();
        }
      });
    }
  }
});
