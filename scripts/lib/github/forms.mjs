// The forms for issues: GitHub shows a broken one to nobody, without a word.
import { parse } from 'yaml';
import * as z from 'zod';

const required = z.strictObject({ required: z.boolean() }).optional();
const words = z.string().min(1);
const id = z.string().regex(/^[\w-]+$/);
const described = { label: words, description: words.optional() };
const element = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: words }) }),
  z.strictObject({
    type: z.literal('textarea'),
    id,
    attributes: z.strictObject({
      ...described,
      placeholder: words.optional(),
      value: words.optional(),
      render: words.optional(),
    }),
    validations: required,
  }),
  z.strictObject({
    type: z.literal('input'),
    id,
    attributes: z.strictObject({ ...described, placeholder: words.optional(), value: words.optional() }),
    validations: required,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    id,
    attributes: z.strictObject({
      ...described,
      options: z.array(words).min(1).refine(areUnique, 'options must differ'),
      multiple: z.boolean().optional(),
    }),
    validations: required,
  }),
]);
const form = z.strictObject({
  name: words,
  description: words,
  title: words.optional(),
  labels: z.array(words).optional(),
  body: z
    .array(element)
    .refine((body) => body.some(({ type }) => type !== 'markdown'), 'a form needs something to fill in')
    .refine((body) => areUnique(body.flatMap((each) => ('id' in each ? [each.id] : []))), 'ids must differ'),
});
const config = z.strictObject({
  blank_issues_enabled: z.boolean(),
  contact_links: z.array(z.strictObject({ name: words, url: z.url({ protocol: /^https$/ }), about: words })),
});

/**
 * @param {string} text of a form
 * @returns {string[]} what is wrong
 */
export function formProblems(text) {
  return problemsOf(form, text);
}

/**
 * @param {string} text of the file config.yml beside the forms
 * @returns {string[]} what is wrong
 */
export function chooserProblems(text) {
  return problemsOf(config, text);
}

/**
 * @param {z.ZodType} schema
 * @param {string} text
 */
function problemsOf(schema, text) {
  const read = schema.safeParse(parse(text));
  return read.success ? [] : [z.prettifyError(read.error)];
}

/** @param {readonly string[]} values */
function areUnique(values) {
  return new Set(values).size === values.length;
}
