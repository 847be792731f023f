"""Definitions of languages that consist of lists."""

from __future__ import annotations

import pytest

from kbc.languages.definitions.symbol import walk
from kbc.languages.syntax import symbols

COMMON_LISP = """(defpackage :tanks (:use :cl))
;;; A tank.
(defclass tank (thing)
  ((level :initarg :level)))
(defstruct (lid (:conc-name l-)) width)
(defparameter *litres* 40)
(defun fill (tank)
  "Fills."
  (let ((level 1))
    (defvar *inner* level)))
(defmethod drain :after ((tank tank)) 1)
(defmethod (setf level) (value (tank tank)) value)
(cl:defmacro with-tank ((tank) &body body) `(progn ,@body))
(define-condition dry (error) ())
(define-command go-on (tank) 1)
(define-thing lake 3)
(when *litres*
  (define-thing pond 3)
  (default fill 3))
"""
EMACS_LISP = """(defgroup tanks nil "Tanks.")
(defvar tanks-elsewhere)
(defvar tanks-count 0)
(defconst tanks-most 4)
(defcustom tanks-litres 40 "Litres.")
;; Fills.
(defun tanks-fill (by)
  (defvar tanks-inner by))
(cl-defmethod tanks-open ((tap tap)) tap)
(cl-defstruct (tanks-lid (:copier nil)) width)
(define-minor-mode tanks-mode "Tanks.")
(defalias 'tanks-old #'tanks-fill)
"""
RACKET = """#lang racket/base
(struct tank (level) #:transparent)
(define litres 40)
; Fills.
(define (fill tank by)
  (define inner 3)
  (define (deeper) 2)
  (+ by inner))
(define ((curried a) b) a)
(define shut (lambda (tank) tank))
(define-syntax-rule (swap a b) (list b a))
(define-values (width height) (values 1 2))
(define tank%
  (class object%
    (define/public (drain) 1)))
(module+ test
  (define expected 3))
"""
SCHEME = """(define-library (tanks levels)
  (export fill)
  (begin
    (define (fill by) by)))
(define-record-type <tank> (make-tank level) tank? (level tank-level))
(define-syntax swap (syntax-rules () ((_ a b) (b a))))
(define-public (open tap) tap)
"""


def found(text: str, language: str) -> list[str]:
    return [f"{each.kind} {each.name}" for each in walk(symbols(text, language=language))]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "commonlisp",
            COMMON_LISP,
            "module tanks, class tank, struct lid, variable *litres*, function fill, method drain, "
            "method (setf level), macro with-tank, class dry, function go-on, constant lake",
        ),
        (
            "elisp",
            EMACS_LISP,
            "constant tanks, variable tanks-count, constant tanks-most, variable tanks-litres, "
            "function tanks-fill, method tanks-open, struct tanks-lid, function tanks-mode, "
            "function tanks-old",
        ),
        (
            "racket",
            RACKET,
            "struct tank, constant litres, function fill, function deeper, function curried, "
            "function shut, macro swap, constant width, class tank%, method drain, module test, "
            "constant expected",
        ),
        (
            "scheme",
            SCHEME,
            "module tanks levels, function fill, struct <tank>, macro swap, function open",
        ),
    ],
)
def test_a_list_defines_what_its_first_word_says(language: str, text: str, expected: str) -> None:
    assert ", ".join(found(text, language)) == expected


def test_a_definition_has_the_comment_above_it_and_its_head() -> None:
    (fill,) = [each for each in symbols(RACKET, language="racket") if each.name == "fill"]
    assert (fill.line, fill.own_line, fill.end_line) == (4, 5, 8)
    assert fill.signature == "(define (fill tank by)"
