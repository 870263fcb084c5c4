import { describe, expect, it } from 'vitest';
import { createFieldChecks } from '../../../../../packages/apiserver/http/field-validation.ts';
import { aWorld, causesOf, refusalOf } from '../core/core-with-widgets.ts';

describe('unknown and duplicate fields', () => {
  const found = (fieldValidation: 'Ignore' | 'Warn') => {
    const checks = createFieldChecks({ fieldValidation, duplicates: ['spec.twice'] });
    checks.callbacks.onUnknown(['spec.x']);
    checks.callbacks.onWarning('unwise');
    return checks.warnings();
  };

  it('cause warnings, besides other warnings', () => {
    expect(found('Warn')).toEqual(['unknown field "spec.x"', 'duplicate field "spec.twice"', 'unwise']);
    expect(found('Ignore')).toEqual(['unwise']);
  });

  it('are refused together under strict validation', () => {
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: ['spec.twice'] });
    const refusal = refusalOf(() => checks.callbacks.onUnknown(['spec.x']));
    expect(refusal).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(refusal.message).toBe('strict decoding error: unknown field "spec.x", duplicate field "spec.twice"');
  });

  it('are refused in an object of a kind, which the error names', () => {
    const of = aWorld().widgets;
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: ['a'], of });
    expect(refusalOf(() => checks.callbacks.onUnknown([])).message).toBe(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "a"',
    );
  });

  it('make a patch invalid under strict validation', () => {
    const patched = { endpoint: aWorld().widgets, name: 'w' };
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: ['a'], patched });
    expect(causesOf(() => checks.callbacks.onUnknown([]))).toEqual(['FieldValueInvalid patch']);
  });

  it('have no effect when there are none', () => {
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: [] });
    checks.callbacks.onUnknown([]);
    expect(checks.warnings()).toEqual([]);
  });
});
