/** One line of `sallyport check`. What fails says what to do; what was skipped, what to give so that it is looked at. */
export interface Finding {
  readonly name: string;
  readonly state: 'holds' | 'fails' | 'skipped';
  readonly detail: string;
  readonly nextStep: string;
}

export const holds = (name: string, detail: string): Finding => ({ name, state: 'holds', detail, nextStep: '' });
export const fails = (name: string, detail: string, nextStep: string): Finding => ({ name, state: 'fails', detail, nextStep });
export const skipped = (name: string, detail: string, nextStep: string): Finding => ({
  name,
  state: 'skipped',
  detail,
  nextStep,
});
