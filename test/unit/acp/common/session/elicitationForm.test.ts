import assert from 'node:assert/strict';
import {
  formFields,
  findInputProblem,
  parseInput,
  type FormField,
} from '../../../../../src/acp/common/session/elicitationForm';

function field(property: unknown, isRequired = true): FormField {
  const [only] = formFields({ type: 'object', properties: { x: property }, required: isRequired ? ['x'] : null });
  assert.ok(only);
  return only;
}

describe('a form of an agent', () => {
  it('is asked in its order, with titles and choices', () => {
    const fields = formFields({
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name', description: 'As in git', default: 'me' },
        mail: { type: 'string', format: 'email' },
        colour: { type: 'string', enum: ['red', 'blue'] },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small', description: 'Fits' }] },
        fast: { type: 'boolean' },
        parts: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
        more: { type: 'array', items: { anyOf: [{ const: 'm', title: 'More' }] } },
        future: { type: 'hologram' },
      },
      required: ['name'],
    });
    assert.deepEqual(
      fields.map(({ key, kind, title, isRequired }) => [key, kind, title, isRequired]),
      [
        ['name', 'text', 'Your name', true],
        ['mail', 'text', 'mail (email)', false],
        ['colour', 'choice', 'colour', false],
        ['size', 'choice', 'size', false],
        ['fast', 'boolean', 'fast', false],
        ['parts', 'choices', 'parts', false],
        ['more', 'choices', 'more', false],
      ],
    );
    assert.deepEqual(fields[3]?.kind === 'choice' && fields[3].choices, [
      { value: 's', title: 'Small', description: 'Fits' },
    ]);
    assert.deepEqual(fields[5]?.kind === 'choices' && fields[5].defaultValue, ['a']);
  });

  it('is refused if it is invalid or requires an unknown field', () => {
    assert.throws(() => formFields({ properties: { x: { type: 'hologram' } }, required: ['x'] }), /not supported/);
    assert.throws(() => formFields('form'));
    assert.deepEqual(formFields({ type: 'object' }), []);
  });

  it('takes text within its limits', () => {
    const text = field({ type: 'string', minLength: 2, maxLength: 3 });
    assert.match(findInputProblem(text, '') ?? '', /required/);
    assert.match(findInputProblem(text, 'a') ?? '', /at least 2/);
    assert.match(findInputProblem(text, 'abcd') ?? '', /at most 3/);
    assert.equal(findInputProblem(text, 'abc'), undefined);
    assert.equal(parseInput(text, 'abc'), 'abc');
  });

  it('takes numbers within their limits', () => {
    const port = field({ type: 'integer', minimum: 1, maximum: 9 });
    for (const bad of ['x', ' ', '1.5', '0', '10']) assert.ok(findInputProblem(port, bad), bad);
    assert.equal(findInputProblem(port, '9'), undefined);
    assert.equal(parseInput(port, '9'), 9);
    assert.equal(findInputProblem(field({ type: 'number' }), '-0.5'), undefined);
  });

  it('allows to skip optional fields', () => {
    const optional = field({ type: 'number' }, false);
    assert.equal(findInputProblem(optional, ''), undefined);
    assert.equal(parseInput(optional, ''), undefined);
  });
});
