// AbortController and AbortSignal of the DOM standard.
(function () {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const listen = uncurry(addEventListener), dispatch = uncurry(dispatchEvent);
  const push = uncurry(Array.prototype.push), { apply } = Reflect;
  const Signal = Event, Failure = DOMException, Invalid = TypeError, later = globalThis.setTimeout, { trunc } = Math;
  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tag = (C, name) => Object.defineProperty(C.prototype, Symbol.toStringTag, { value: name, configurable: true });

  const MADE_HERE = {};
  let abort, isSignal; // what AbortController may do to an AbortSignal

  class AbortSignal extends EventTarget {
    #reason;
    #aborted = false;
    #dependents = []; // signals of any() that wait for this one
    #sources = null; // of a signal of any(): the plain signals it waits for
    #handler = null;
    #listening = false;
    constructor(token) {
      if (token !== MADE_HERE) throw new Invalid('AbortSignal: use AbortController, AbortSignal.abort, timeout or any');
      super();
    }
    static {
      isSignal = (value) => typeof value === 'object' && value !== null && #reason in value;
      abort = (signal, reason = new Failure('This operation was aborted', 'AbortError')) => {
        if (signal.#aborted) return;
        signal.#set(reason);
        const following = [];
        for (let i = 0; i < signal.#dependents.length; i++) {
          const dependent = signal.#dependents[i];
          if (dependent.#aborted) continue;
          dependent.#set(reason);
          push(following, dependent);
        }
        signal.#dependents = [];
        dispatch(signal, new Signal('abort'));
        for (let i = 0; i < following.length; i++) dispatch(following[i], new Signal('abort'));
      };
    }
    static abort(reason = undefined) {
      const signal = new AbortSignal(MADE_HERE);
      abort(signal, reason);
      return signal;
    }
    static timeout(milliseconds) {
      const ms = trunc(+milliseconds);
      if (!(ms >= 0 && ms <= 9007199254740991)) throw new Invalid('AbortSignal.timeout: give milliseconds, 0 or more');
      const signal = new AbortSignal(MADE_HERE);
      later(() => abort(signal, new Failure('The operation timed out', 'TimeoutError')), ms);
      return signal;
    }
    static any(signals) {
      const given = [], result = new AbortSignal(MADE_HERE);
      for (const signal of signals) {
        if (!isSignal(signal)) throw new Invalid('AbortSignal.any: each item must be an AbortSignal');
        push(given, signal);
      }
      for (let i = 0; i < given.length; i++) {
        if (!given[i].#aborted) continue;
        result.#set(given[i].#reason);
        return result;
      }
      result.#sources = [];
      for (let i = 0; i < given.length; i++) {
        const sources = given[i].#sources ?? [given[i]];
        for (let j = 0; j < sources.length; j++) result.#follow(sources[j]);
      }
      return result;
    }
    #set(reason) {
      this.#aborted = true;
      this.#reason = reason;
    }
    #follow(source) {
      for (let i = 0; i < this.#sources.length; i++) if (this.#sources[i] === source) return;
      push(this.#sources, source);
      push(source.#dependents, this);
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get onabort() { return this.#handler; }
    set onabort(handler) {
      this.#handler = typeof handler === 'function' || typeof handler === 'object' ? handler : null;
      if (this.#listening || this.#handler === null) return;
      this.#listening = true;
      listen(this, 'abort', (event) => {
        if (typeof this.#handler === 'function') apply(this.#handler, this, [event]);
      });
    }
  }

  class AbortController {
    #signal = new AbortSignal(MADE_HERE);
    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason); }
  }

  tag(AbortSignal, 'AbortSignal');
  tag(AbortController, 'AbortController');
  define(globalThis, 'AbortSignal', AbortSignal);
  define(globalThis, 'AbortController', AbortController);
})
