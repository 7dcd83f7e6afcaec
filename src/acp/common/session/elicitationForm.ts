import * as z from 'zod';

/** A field of a form that an agent asks the user to fill in. */
export type FormField = FieldBasics &
  (
    | { readonly kind: 'text'; readonly minLength: number; readonly maxLength: number; readonly defaultValue: string }
    | {
        readonly kind: 'number';
        readonly isInteger: boolean;
        readonly minimum: number;
        readonly maximum: number;
        readonly defaultValue: string;
      }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly choices: readonly FormChoice[] }
    | { readonly kind: 'choices'; readonly choices: readonly FormChoice[]; readonly defaultValue: readonly string[] }
  );

export type FormValue = string | number | boolean | string[];

interface FormChoice {
  readonly value: string;
  readonly title: string;
  readonly description?: string;
}

interface FieldBasics {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
}

const Choice = z.object({ const: z.string(), title: z.string(), description: z.string().nullish() });
const text = z.string().nullish();
const number = z.number().nullish();
const basics = { title: text, description: text };

const Property = z.discriminatedUnion('type', [
  z.looseObject({
    ...basics,
    type: z.literal('string'),
    minLength: number,
    maxLength: number,
    format: text,
    default: text,
    enum: z.array(z.string()).nullish(),
    oneOf: z.array(Choice).nullish(),
  }),
  z.looseObject({ ...basics, type: z.enum(['number', 'integer']), minimum: number, maximum: number, default: number }),
  z.looseObject({ ...basics, type: z.literal('boolean'), default: z.boolean().nullish() }),
  z.looseObject({
    ...basics,
    type: z.literal('array'),
    items: z.union([
      z.looseObject({ anyOf: z.array(Choice) }),
      z.looseObject({ type: z.literal('string'), enum: z.array(z.string()) }),
    ]),
    default: z.array(z.string()).nullish(),
  }),
]);
type Property = z.infer<typeof Property>;

const Form = z.looseObject({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).nullish(),
});

/**
 * Parses the fields of a form. Skips optional fields of unknown types. @throws Error if a required field has an unknown
 * type, or if `schema` is not a form
 */
export function formFields(schema: unknown): FormField[] {
  const form = Form.parse(schema);
  const required = new Set(form.required ?? []);
  return Object.entries(form.properties).flatMap(([key, value]) => {
    const property = Property.safeParse(value);
    if (property.success) return [toField(key, property.data, required.has(key))];
    if (required.has(key)) throw new Error(`The form’s field "${key}" is not supported.`);
    return [];
  });
}

/** Validates the user's input. Returns a message, or undefined if the input is valid. */
export function findInputProblem(field: FormField, input: string): string | undefined {
  if (input === '') return field.isRequired ? 'This field is required.' : undefined;
  if (field.kind === 'text') {
    const { minLength, maxLength } = field;
    if (input.length < minLength) return `Enter at least ${minLength} characters.`;
    return input.length > maxLength ? `Enter at most ${maxLength} characters.` : undefined;
  }
  if (field.kind !== 'number') return undefined;
  const { isInteger, minimum, maximum } = field;
  const value = Number(input);
  if (input.trim() === '' || !Number.isFinite(value)) return 'Enter a number.';
  if (isInteger && !Number.isInteger(value)) return 'Enter a whole number.';
  if (value < minimum) return `Enter a number of at least ${minimum}.`;
  return value > maximum ? `Enter a number of at most ${maximum}.` : undefined;
}

/** Converts valid input; undefined for a skipped field. */
export function parseInput(field: FormField, input: string): FormValue | undefined {
  if (input === '' && !field.isRequired) return undefined;
  return field.kind === 'number' ? Number(input) : input;
}

function toField(key: string, property: Property, isRequired: boolean): FormField {
  const { title, description } = property;
  const about = { key, title: title ?? key, description: description ?? '', isRequired };
  switch (property.type) {
    case 'string': {
      const { oneOf, enum: values, format } = property;
      const choices = oneOf?.map(toChoice) ?? values?.map(plainChoice);
      if (choices) return { ...about, kind: 'choice', choices };
      const hint = format ? ` (${format})` : '';
      const { minLength, maxLength, default: defaultValue } = property;
      const limits = { minLength: minLength ?? 0, maxLength: maxLength ?? Infinity };
      return { ...about, title: about.title + hint, kind: 'text', ...limits, defaultValue: defaultValue ?? '' };
    }
    case 'number':
    case 'integer': {
      const { minimum, maximum, default: defaultValue } = property;
      const limits = { minimum: minimum ?? -Infinity, maximum: maximum ?? Infinity };
      const isInteger = property.type === 'integer';
      return { ...about, kind: 'number', isInteger, ...limits, defaultValue: defaultValue?.toString() ?? '' };
    }
    case 'boolean':
      return { ...about, kind: 'boolean' };
    case 'array': {
      const { items } = property;
      const choices = 'anyOf' in items ? z.array(Choice).parse(items.anyOf).map(toChoice) : items.enum.map(plainChoice);
      return { ...about, kind: 'choices', choices, defaultValue: property.default ?? [] };
    }
  }
}

function plainChoice(value: string): FormChoice {
  return { value, title: value };
}

function toChoice({ const: value, title, description }: z.infer<typeof Choice>): FormChoice {
  return { value, title, ...(description ? { description } : {}) };
}
