// Event, CustomEvent and EventTarget of the DOM standard, without a tree: the path of an event is its target alone.
(function () {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const push = uncurry(Array.prototype.push), now = uncurry(performance.now);
  const concat = uncurry(String.prototype.concat);
  const { apply } = Reflect, clock = performance, Invalid = TypeError, Later = Promise, Failure = DOMException;
  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tag = (C, name) => Object.defineProperty(C.prototype, Symbol.toStringTag, { value: name, configurable: true });

  let begin, finish, stopped, setPassive; // what EventTarget may do to an Event

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #time = now(clock);
    #target = null;
    #current = null;
    #canceled = false;
    #passive = false;
    #stop = 0; // 1: no further target, 2: no further listener
    #dispatched = false;
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new Invalid('Event: a type is needed');
      this.#type = concat('', type);
      this.#bubbles = !!init?.bubbles;
      this.#cancelable = !!init?.cancelable;
      this.#composed = !!init?.composed;
    }
    static {
      begin = (event, target) => {
        if (event.#dispatched) throw new Failure('The event is already being dispatched', 'InvalidStateError');
        event.#dispatched = true;
        event.#target = event.#current = target;
      };
      finish = (event) => {
        event.#dispatched = event.#passive = false;
        event.#current = null;
        event.#stop = 0;
        return !event.#canceled;
      };
      stopped = (event, level) => event.#stop >= level;
      setPassive = (event, passive) => (event.#passive = passive);
    }
    get type() { return this.#type; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get timeStamp() { return this.#time; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get eventPhase() { return this.#current === null ? 0 : 2; }
    get defaultPrevented() { return this.#canceled; }
    get returnValue() { return !this.#canceled; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    get cancelBubble() { return this.#stop > 0; }
    set cancelBubble(value) { if (value && this.#stop === 0) this.#stop = 1; }
    get isTrusted() { return false; }
    composedPath() { return this.#current === null ? [] : [this.#current]; }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#canceled = true; }
    stopPropagation() { if (this.#stop === 0) this.#stop = 1; }
    stopImmediatePropagation() { this.#stop = 2; }
  }
  const PHASES = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  for (let i = 0; i < 4; i++) {
    Object.defineProperty(Event, PHASES[i], { value: i, enumerable: true });
    Object.defineProperty(Event.prototype, PHASES[i], { value: i, enumerable: true });
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new Invalid('CustomEvent: a type is needed');
      super(type, init);
      this.#detail = init?.detail === undefined ? null : init.detail;
    }
    get detail() { return this.#detail; }
  }

  const isCapture = (options) => !!(typeof options === 'object' ? options?.capture : options);

  class EventTarget {
    #listeners = []; // never changed, only replaced: a dispatch goes through those there were when it began
    addEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new Invalid('addEventListener: a type and a listener are needed');
      type = concat('', type);
      const capture = isCapture(options), given = typeof options === 'object' && options !== null ? options : {};
      const once = !!given.once, passive = !!given.passive, signal = given.signal;
      if (signal !== undefined && !(typeof signal === 'object' && signal !== null && #listeners in signal))
        throw new Invalid('addEventListener: signal must be an AbortSignal');
      if (callback === null || callback === undefined || signal?.aborted) return;
      if (typeof callback !== 'function' && typeof callback !== 'object')
        throw new Invalid('addEventListener: the listener must be a function or an object with handleEvent');
      if (this.#find(type, callback, capture) >= 0) return;
      this.#listeners = this.#without(-1);
      push(this.#listeners, { type, callback, capture, once, passive, removed: false });
      if (signal !== undefined) add(signal, 'abort', () => remove(this, type, callback, capture), { once: true });
    }
    removeEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new Invalid('removeEventListener: a type and a listener are needed');
      const i = this.#find(concat('', type), callback, isCapture(options));
      if (i >= 0) this.#drop(i);
    }
    dispatchEvent(event) {
      if (!(typeof event === 'object' && event !== null && isEvent(event)))
        throw new Invalid('dispatchEvent: the argument must be an Event');
      begin(event, this);
      const type = typeOf(event);
      this.#invoke(event, type, true);
      if (!stopped(event, 1)) this.#invoke(event, type, false);
      return finish(event);
    }
    #find(type, callback, capture) {
      for (let i = 0; i < this.#listeners.length; i++) {
        const l = this.#listeners[i];
        if (l.type === type && l.callback === callback && l.capture === capture) return i;
      }
      return -1;
    }
    #without(at) {
      const kept = [];
      for (let i = 0; i < this.#listeners.length; i++) if (i !== at) push(kept, this.#listeners[i]);
      return kept;
    }
    #drop(at) {
      this.#listeners[at].removed = true;
      this.#listeners = this.#without(at);
    }
    #invoke(event, type, capture) {
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length && !stopped(event, 2); i++) {
        const l = listeners[i];
        if (l.type !== type || l.capture !== capture || l.removed) continue;
        if (l.once) this.#drop(this.#find(type, l.callback, capture));
        setPassive(event, l.passive);
        try {
          if (typeof l.callback === 'function') apply(l.callback, this, [event]);
          else l.callback.handleEvent(event);
        } catch (error) {
          new Later((_, reject) => reject(error)); // reported as an unhandled rejection; the other listeners still run
        }
        setPassive(event, false);
      }
    }
  }
  const add = uncurry(EventTarget.prototype.addEventListener);
  const remove = uncurry(EventTarget.prototype.removeEventListener);
  const typeOf = uncurry(Object.getOwnPropertyDescriptor(Event.prototype, 'type').get);
  function isEvent(value) {
    try {
      return typeOf(value) !== undefined;
    } catch {
      return false;
    }
  }

  tag(Event, 'Event');
  tag(CustomEvent, 'CustomEvent');
  tag(EventTarget, 'EventTarget');
  define(globalThis, 'Event', Event);
  define(globalThis, 'CustomEvent', CustomEvent);
  define(globalThis, 'EventTarget', EventTarget);
})
