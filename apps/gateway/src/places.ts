/** A bounded number of places for what may run at once; who finds none waits its turn, first come first served. */
export interface Places {
  run<T>(act: () => Promise<T>): Promise<T>;
}

export function createPlaces(max: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;

  function leave(): void {
    // Whoever waits takes the place over, so that nobody can slip in between.
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  return {
    async run(act) {
      if (taken < max) taken += 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      try {
        return await act();
      } finally {
        leave();
      }
    },
  };
}
