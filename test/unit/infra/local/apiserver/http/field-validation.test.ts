import { describe, expect, it } from 'vitest';
import { createFieldChecks } from '../../../../../../infra/local/apiserver/http/field-validation.ts';
import { aWorld, causesOf, refusalOf } from '../core/world.ts';

describe('fields that nobody knows or that came twice', () => {
  const found = (fieldValidation: 'Ignore' | 'Warn') => {
    const checks = createFieldChecks({ fieldValidation, duplicates: ['spec.twice'] });
    checks.told.onUnknown(['spec.x']);
    checks.told.onWarning('unwise');
    return checks.warnings();
  };

  it('are warned about, besides what is unwise', () => {
    expect(found('Warn')).toEqual(['unknown field "spec.x"', 'duplicate field "spec.twice"', 'unwise']);
    expect(found('Ignore')).toEqual(['unwise']);
  });

  it('are refused when the client is strict, all at once', () => {
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: ['spec.twice'] });
    const refusal = refusalOf(() => checks.told.onUnknown(['spec.x']));
    expect(refusal).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(refusal.message).toBe('strict decoding error: unknown field "spec.x", duplicate field "spec.twice"');
  });

  it('make a strict patch invalid', () => {
    const patched = { endpoint: aWorld().widgets, name: 'w' };
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: ['a'], patched });
    expect(causesOf(() => checks.told.onUnknown([]))).toEqual(['FieldValueInvalid patch']);
  });

  it('are no matter when there are none', () => {
    const checks = createFieldChecks({ fieldValidation: 'Strict', duplicates: [] });
    checks.told.onUnknown([]);
    expect(checks.warnings()).toEqual([]);
  });
});
