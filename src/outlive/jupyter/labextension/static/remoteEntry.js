// A federated extension of JupyterLab and Notebook 7, written by hand: no build step.
// It shows what the server extension tells: why a kernel died, and how near the current one is to its memory limit.
(function () {
  "use strict";

  var SCHEMA = "https://events.outlive/kernel-died/v1";
  var GO_TO_CELL = "outlive:go-to-cell";

  // The gauge asks this often; more often while a cell runs or the limit is near. (The brake stops a cell at 85 %.)
  var CALM_MS = 3000, ALERT_MS = 1000, NEAR = 0.6, WARN = 0.8, CALM_AGAIN = 0.7;

  var here = document.currentScript ? document.currentScript.src : "";
  var shared = {};

  // A module that JupyterLab shares with its extensions; Notebook 7 does not have all of them.
  function sharedModule(name) {
    var versions = shared[name], newest = versions && Object.keys(versions).sort().pop();
    if (!newest) return Promise.resolve(null);
    return Promise.resolve(versions[newest].get()).then(function (factory) { return factory(); });
  }

  function addStyles() {
    if (!here) return;
    ["card.css", "gauge.css"].forEach(function (name) {
      var link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = new URL(name, here).href;
      document.head.appendChild(link);
    });
  }

  function notify(app, told) {
    if (app.commands.hasCommand("apputils:notify")) {
      app.commands.execute("apputils:notify", told);
    } else {
      console.warn(told.message);
    }
  }

  // Why a kernel died.

  function kernelOf(widget) {
    var session = widget && widget.sessionContext && widget.sessionContext.session;
    return session ? session.kernel : null;
  }

  function show(app, died) {
    // JupyterLab cuts long texts: what matters most comes first.
    var whose = died.notebook ? "The kernel of " + died.notebook : "The kernel";
    var where = died.where ? " at " + died.where : "";
    var message = whose + " died" + where + (died.cell_told ? "" : " while idle") + ". " + died.says;
    var actions = died.cell
      ? [{ label: "Go to the cell", commandId: GO_TO_CELL, args: { cell: died.cell }, displayType: "accent" }]
      : [];
    notify(app, { message: message, type: "error", options: { autoClose: false, actions: actions } });
  }

  // The notebook that holds the cell comes to the front, and the cell into sight, with the end of its output.
  function goToCell(app, name) {
    var widgets = Array.from(app.shell.widgets("main"));
    for (var at = 0; at < widgets.length; at++) {
      var cells = (widgets[at].content && widgets[at].content.widgets) || [];
      for (var index = 0; index < cells.length; index++) {
        if (cells[index].model && cells[index].model.id === name) {
          app.shell.activateById(widgets[at].id);
          widgets[at].content.activeCellIndex = index;
          return widgets[at].content.scrollToItem(index, "smart");
        }
      }
    }
  }

  // How much memory the current kernel has: in the status bar, or beside the kernel's state where there is none (Notebook 7).

  var NOTEBOOK_7 = "Jupyter Notebook", BEFORE_THE_KERNEL = 10005;

  function place(app, statusBar, widget) {
    if (statusBar) {
      statusBar.registerStatusItem("outlive:memory", { item: widget, align: "left", rank: 3 });
    } else if (app.name === NOTEBOOK_7) {
      app.shell.add(widget, "menu", { rank: BEFORE_THE_KERNEL });
    }
    return Boolean(statusBar) || app.name === NOTEBOOK_7;
  }

  function size(bytes) {
    return bytes < 1e9 ? Math.round(bytes / 1e6) + " MB" : (bytes / 1e9).toFixed(1) + " GB";
  }

  function startGauge(app, statusBar, Widget) {
    var widget = new Widget(), timer = null, warned = {}, told = {};
    widget.id = "outlive-gauge";
    widget.addClass("outlive-gauge");
    widget.hide();
    if (!place(app, statusBar, widget)) return; // somebody does without a status bar

    function showGauge(kernel, found) {
      var share = found.limit_bytes ? found.used_bytes / found.limit_bytes : 0;
      var near = share >= WARN;
      var of = Math.round(100 * share) + "% of " + size(found.limit_bytes);
      widget.node.textContent = (near ? "⚠ " : "") + "Kernel " + size(found.kernel_bytes) + " · " + of;
      widget.node.title = near
        ? "Memory is nearly full. At 100% Linux kills the kernel. Delete what you do not need."
        : "Memory of this kernel · share of the memory limit in use (" + size(found.used_bytes) + ", with all that share it)";
      var said = found.warnings || [];
      if (said.length && !near) {
        widget.node.textContent = "⚠ " + widget.node.textContent;
        widget.node.title = said.join("\n");
      }
      said.forEach(function (words) {
        if (told[kernel.id + words]) return;
        told[kernel.id + words] = true;
        notify(app, { message: words, type: "warning", options: { autoClose: 15000 } });
      });
      widget.toggleClass("outlive-near", near || said.length > 0);
      widget.show();
      if (near && !warned[kernel.id]) {
        warned[kernel.id] = true;
        notify(app, {
          message: "Memory is nearly full: " + of + ". At 100% Linux kills the kernel. Delete what you do not need.",
          type: "warning", options: { autoClose: 15000 },
        });
      } else if (share < CALM_AGAIN) {
        delete warned[kernel.id];
      }
      return share;
    }

    function ask() {
      clearTimeout(timer);
      timer = null;
      var kernel = kernelOf(app.shell.currentWidget);
      if (document.visibilityState !== "visible") return; // asked again when somebody looks
      if (!kernel) {
        timer = setTimeout(ask, CALM_MS); // it may be starting
        return widget.hide();
      }
      var settings = app.serviceManager.serverSettings;
      var address = settings.baseUrl + "outlive/memory/" + kernel.id + "?no_track_activity=1";
      var fetch = settings.fetch; // the browser's own, which must not be called as a method
      var headers = settings.token ? { Authorization: "token " + settings.token } : {};
      var pause = CALM_MS;
      fetch(address, Object.assign({}, settings.init, { headers: headers }))
        .then(function (answer) { return answer.ok ? answer.json() : null; })
        .then(function (found) {
          if (kernelOf(app.shell.currentWidget) !== kernel) return; // another one is asked about by now
          if (!found) return widget.hide();
          if (showGauge(kernel, found) >= NEAR || kernel.status === "busy") pause = ALERT_MS;
        })
        .catch(function () { widget.hide(); })
        .then(function () { timer = timer || setTimeout(ask, pause); });
    }

    document.addEventListener("visibilitychange", ask);
    if (app.shell.currentChanged) app.shell.currentChanged.connect(ask);
    app.restored.then(ask);
  }

  var toast = {
    id: "outlive:toast",
    description: "Shows why a kernel died, and goes to the cell.",
    autoStart: true,
    activate: function (app) {
      addStyles();
      app.commands.addCommand(GO_TO_CELL, {
        label: "Go to the cell that died",
        execute: function (args) { return goToCell(app, args.cell); },
      });
      app.serviceManager.events.stream.connect(function (_, emission) {
        if (emission.schema_id === SCHEMA) show(app, emission);
      });
    },
  };

  function gauge(statusBar, widgets) {
    return {
      id: "outlive:memory",
      description: "Shows the memory of the current kernel.",
      autoStart: true,
      optional: statusBar ? [statusBar.IStatusBar] : [],
      activate: function (app, bar) { startGauge(app, bar, widgets.Widget); },
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB.outlive = {
    init: function (scope) { shared = scope || {}; },
    get: function () {
      return Promise.all([sharedModule("@jupyterlab/statusbar"), sharedModule("@lumino/widgets")])
        .catch(function () { return [null, null]; })
        .then(function (found) {
          var plugins = found[1] ? [toast, gauge(found[0], found[1])] : [toast];
          return function () { return { __esModule: true, default: plugins }; };
        });
    },
  };
})();
